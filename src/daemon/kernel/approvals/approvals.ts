/** What waits for a person: each until somebody decides, its deadline comes or its turn ends, whichever is first. */
import type { Approval } from "../../../protocol/approval.ts";
import type { Claim, NewApproval } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import type { Clock, Timer } from "../clock.ts";

export type ApprovalsOptions = {
  store: Store;
  /** The same, but it repeats what it cannot do at once; for what the clock decides. */
  retryingStore: Store;
  clock: Clock;
  /** Lets a turn's clocks stand still and its place be free, until what this gives is called. */
  pause: (claim: Claim) => () => void;
  report: (trouble: string, error: unknown) => void;
  closing: AbortSignal;
};

type Waiting = {
  approval: Approval;
  claim: Claim;
  decided: PromiseWithResolvers<Approval>;
  deadline: Timer;
  resume: () => void;
};

export class Approvals {
  readonly #options: ApprovalsOptions;
  readonly #waiting = new Map<string, Waiting>();

  constructor(options: ApprovalsOptions) {
    this.#options = options;
  }

  /** Asks, and resolves once it is decided; whoever asks the same again waits for the same. */
  async ask(claim: Claim, asked: NewApproval): Promise<Approval> {
    const { store } = this.#options;
    const approval = await store.askApproval(claim, asked);
    if (approval.state !== "waiting") return approval;
    const { decided } = this.#waiting.get(approval.id) ?? this.#await(claim, approval, asked.timeoutMs);
    // It may have been decided, or its turn may have ended, before anybody waited here.
    const current = (await store.approval(approval.id)) ?? { ...approval, state: "cancelled" };
    if (current.state !== "waiting") this.settle(current);
    return decided.promise;
  }

  /** Tells whoever waits that it is decided. */
  settle(approval: Approval): void {
    const waiting = this.#waiting.get(approval.id);
    if (!waiting) return;
    this.#waiting.delete(approval.id);
    waiting.deadline.cancel();
    waiting.resume();
    waiting.decided.resolve(approval);
  }

  /** An attempt has ended, and what it asked ends with it; the store records that where it records the end. */
  release({ turn, fence }: Claim): void {
    for (const { claim, approval } of this.#waiting.values()) {
      if (claim.turn !== turn || claim.fence !== fence) continue;
      this.settle({ ...approval, state: "cancelled", decidedBy: "turn", reason: "the turn that asked has ended" });
    }
  }

  #await(claim: Claim, approval: Approval, timeoutMs: number): Waiting {
    const { clock, pause } = this.#options;
    const waiting = {
      approval,
      claim,
      decided: Promise.withResolvers<Approval>(),
      deadline: clock.after(timeoutMs, () => this.#expire(approval.id, timeoutMs)),
      resume: pause(claim),
    };
    this.#waiting.set(approval.id, waiting);
    return waiting;
  }

  #expire(id: string, timeoutMs: number): void {
    const { retryingStore, report, closing } = this.#options;
    if (closing.aborted) return;
    const reason = `nobody decided within ${timeoutMs / 1_000} s`;
    retryingStore
      .decideApproval(id, { state: "denied", by: "deadline", reason })
      .then((answer) => answer && this.settle(answer.approval))
      .catch((error: unknown) => report("a request that nobody decided could not be denied", error));
  }
}
