/** Closes proposals at their deadlines, which the store keeps across restarts. */
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
    const problem = "proposals could not be closed at their deadline";
    this.#timer = new DueTimer({ ...options, problem, runDue: () => this.#closeDue() });
  }

  /** Closes what is due and waits for the next deadline. Call when a proposal with a deadline was opened. */
  checkDue(): void {
    this.#timer.check();
  }

  close(): Promise<void> {
    return this.#timer.close();
  }

  /** When to check again; null if no proposal has a deadline. */
  async #closeDue(): Promise<number | null> {
    const { store, clock, proposals } = this.#options;
    for (const proposal of await store.expiringProposals(maxProposals)) {
      if (proposal.deadline !== null && proposal.deadline <= clock.now()) await proposals.close(proposal, "deadline");
    }
    // Read again: if a vote came in between, the proposal is still open and left for the next check.
    const [next] = await store.expiringProposals(1);
    return next?.deadline ?? null;
  }
}
