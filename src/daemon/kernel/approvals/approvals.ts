/** Approvals and questions that wait for a person, until a decision, the deadline or the end of the turn. */
import type { Approval } from "../../../protocol/approval.ts";
import type { Claim, NewApproval } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import type { Clock, ClockTimer } from "../clock.ts";
import type { PausesTurns } from "../ports.ts";

export type ApprovalsOptions = {
  store: Store;
  /** The same store, but it retries while the store is unavailable; for deadlines. */
  retryingStore: Store;
  clock: Clock;
  scheduler: PausesTurns;
  report: (problem: string, error: unknown) => void;
  closing: AbortSignal;
};

type Waiting = {
  approval: Approval;
  claim: Claim;
  decided: PromiseWithResolvers<Approval>;
  deadline: ClockTimer;
  resume: () => void;
};

export class Approvals {
  readonly #options: ApprovalsOptions;
  readonly #waiting = new Map<string, Waiting>();

  constructor(options: ApprovalsOptions) {
    this.#options = options;
  }

  /** Asks, and resolves with the decision. Asking the same again waits for the same decision. */
  async ask(claim: Claim, asked: NewApproval): Promise<Approval> {
    const { store } = this.#options;
    const approval = await store.askApproval(claim, asked);
    if (approval.state !== "waiting") return approval;
    const { decided } = this.#waiting.get(approval.id) ?? this.#await(claim, approval, asked.timeoutMs);
    // It may have been decided, or its turn may have ended, before this call started to wait.
    const current = (await store.approval(approval.id)) ?? { ...approval, state: "cancelled" };
    if (current.state !== "waiting") this.resolve(current);
    return decided.promise;
  }

  /** Passes a decision to the calls that wait for it. */
  resolve(approval: Approval): void {
    const waiting = this.#waiting.get(approval.id);
    if (!waiting) return;
    this.#waiting.delete(approval.id);
    waiting.deadline.cancel();
    waiting.resume();
    waiting.decided.resolve(approval);
  }

  /** Cancels what an attempt asked when the attempt ends; the store records both in one transaction. */
  release({ turn, fence }: Claim): void {
    for (const { claim, approval } of this.#waiting.values()) {
      if (claim.turn !== turn || claim.fence !== fence) continue;
      this.resolve({ ...approval, state: "cancelled", decidedBy: "turn", reason: "the turn that asked has ended" });
    }
  }

  #await(claim: Claim, approval: Approval, timeoutMs: number): Waiting {
    const { clock, scheduler } = this.#options;
    const waiting = {
      approval,
      claim,
      decided: Promise.withResolvers<Approval>(),
      deadline: clock.after(timeoutMs, () => this.#expire(approval.id, timeoutMs)),
      resume: scheduler.pause(claim),
    };
    this.#waiting.set(approval.id, waiting);
    return waiting;
  }

  #expire(id: string, timeoutMs: number): void {
    const { retryingStore, report, closing } = this.#options;
    if (closing.aborted) return;
    const reason = `no decision within ${timeoutMs / 1_000} s`;
    retryingStore
      .decideApproval(id, { state: "denied", by: "deadline", reason })
      .then((answer) => answer && this.resolve(answer.approval))
      .catch((error: unknown) => report("an approval whose deadline has passed could not be denied", error));
  }
}
