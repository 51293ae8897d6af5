/** Proposals that close by the clock, by deadlines that the store keeps across restarts. */
import type { Store } from "../../store/store.ts";
import { DueTimer, type DueTimerOptions } from "../due-timer.ts";
import type { Proposals } from "./proposals.ts";

const maxProposals = 10_000;

export type DeadlinesOptions = Pick<DueTimerOptions, "clock" | "report" | "closing"> & {
  store: Store;
  proposals: Proposals;
};

export class Deadlines {
  readonly #options: DeadlinesOptions;
  readonly #timer: DueTimer;

  constructor(options: DeadlinesOptions) {
    this.#options = options;
    const trouble = "proposals could not be closed by the clock";
    this.#timer = new DueTimer({ ...options, trouble, runDue: () => this.#closeDue() });
  }

  /** Closes what is due and waits for the next; asked whenever a deadline may have come. */
  checkDue(): void {
    this.#timer.check();
  }

  close(): Promise<void> {
    return this.#timer.close();
  }

  /** When to look again; null when nothing closes by the clock. */
  async #closeDue(): Promise<number | null> {
    const { store, clock, proposals } = this.#options;
    for (const proposal of await store.expiringProposals(maxProposals)) {
      if (proposal.deadline !== null && proposal.deadline <= clock.now()) await proposals.close(proposal, "deadline");
    }
    // Read again: a vote that came between leaves its proposal for the next look.
    const [next] = await store.expiringProposals(1);
    return next?.deadline ?? null;
  }
}
