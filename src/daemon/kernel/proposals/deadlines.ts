/** Proposals that close by the clock, by deadlines that the store keeps across restarts. */
import type { Store } from "../../store/store.ts";
import { Lookout, type LookoutOptions } from "../lookout.ts";
import type { Proposals } from "./proposals.ts";

const mostProposals = 10_000;

export type DeadlinesOptions = Pick<LookoutOptions, "clock" | "report" | "closing"> & {
  store: Store;
  proposals: Proposals;
};

export class Deadlines {
  readonly #options: DeadlinesOptions;
  readonly #lookout: Lookout;

  constructor(options: DeadlinesOptions) {
    this.#options = options;
    const trouble = "proposals could not be closed by the clock";
    this.#lookout = new Lookout({ ...options, trouble, attend: () => this.#closeDue() });
  }

  /** Closes what is due and waits for the next; asked whenever a deadline may have come. */
  look(): void {
    this.#lookout.look();
  }

  close(): Promise<void> {
    return this.#lookout.close();
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
