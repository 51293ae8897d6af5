/** Proposals that close by the clock: one timer for the next deadline, which the store keeps across restarts. */
import type { Store } from "../store/store.ts";
import type { Clock, Timer } from "./clock.ts";
import type { Proposals } from "./proposals.ts";

/** A clock that is set, or a machine that slept, is noticed so much later at most: timers do not count either. */
const longestWaitMs = 60_000;
/** After a proposal that could not be closed: look again so much later. */
const troubleMs = 5_000;
const mostProposals = 10_000;

export type DeadlinesOptions = {
  store: Store;
  clock: Clock;
  proposals: Proposals;
  report: (trouble: string, error: unknown) => void;
  /** Aborted when the daemon stops: nothing is closed from then on. */
  closing: AbortSignal;
};

export class Deadlines {
  readonly #options: DeadlinesOptions;
  #timer: Timer | undefined;
  #looking: Promise<void> | undefined;
  /** Something has changed since the look that is under way began. */
  #latched = false;

  constructor(options: DeadlinesOptions) {
    this.#options = options;
  }

  /** Closes what is due and waits for the next; asked whenever a deadline may have come. */
  look(): void {
    this.#latched = true;
    this.#looking ??= this.#drive().finally(() => (this.#looking = undefined));
  }

  /** Waits for the look that is under way; `closing` lets no other begin. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    await this.#looking;
  }

  async #drive(): Promise<void> {
    const { clock, closing, report } = this.#options;
    while (this.#latched && !closing.aborted) {
      this.#latched = false;
      this.#timer?.cancel();
      this.#timer = undefined;
      const dueAt = await this.#closeDue().catch((error: unknown) => {
        report("proposals could not be closed by the clock", error);
        return clock.now() + troubleMs;
      });
      if (dueAt === null || closing.aborted) continue;
      const waitMs = Math.max(0, Math.min(dueAt - clock.now(), longestWaitMs));
      this.#timer = clock.after(waitMs, () => this.look());
    }
  }

  /** When to look again; null when nothing closes by the clock. */
  async #closeDue(): Promise<number | null> {
    const { store, clock, proposals } = this.#options;
    for (const proposal of await store.expiringProposals(mostProposals)) {
      if (proposal.deadline !== null && proposal.deadline <= clock.now()) await proposals.close(proposal, "deadline");
    }
    // Read again: a vote that came between leaves its proposal for the next look.
    const [next] = await store.expiringProposals(1);
    return next?.deadline ?? null;
  }
}
