/** `decisions.md`: what the team has decided by vote, written down among its documents, each decision once. */
import { createQueue } from "../../documents/queue.ts";
import type { Instance, StoredProposal } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import { decisionEntry, decisionMark } from "./proposal-words.ts";
import type { Shelves } from "../documents/shelves.ts";
import { type RetryOptions, retryWhileUnavailable } from "../retry-while-unavailable.ts";

export const decisionsFile = "decisions.md";
const heading = "# Decisions\n\n";
/** Written in one go; what is left follows with the next decision, or the next start. */
const mostAtOnce = 1_000;

export type DecisionsOptions = RetryOptions & {
  /** One that repeats what it cannot do at once. */
  store: Store;
  shelves: Shelves;
};

export class Decisions {
  readonly #options: DecisionsOptions;
  /** One at a time: who looks whether an entry is there must be the one who adds it. */
  readonly #inOrder = createQueue();

  constructor(options: DecisionsOptions) {
    this.#options = options;
  }

  /**
   * Writes down what has been decided and is not written yet, of one instance or of all. The store keeps what is due, so
   * that a crash loses nothing; and an entry that is there already, because the crash came behind it, is not added again.
   */
  write(workflow: string | null): Promise<void> {
    return this.#inOrder(() => this.#write(workflow));
  }

  /** Waits for what is being written; `closing` lets nothing else begin. */
  async close(): Promise<void> {
    await this.#inOrder(() => Promise.resolve());
  }

  async #write(workflow: string | null): Promise<void> {
    const { store, report } = this.#options;
    if (this.#options.closing.aborted) return;
    for (const decided of await store.unwrittenDecisions(workflow, mostAtOnce)) {
      const isWritten = await this.#enter(decided).then(
        () => true,
        (error: unknown) => {
          report(`a decision could not be written to ${decisionsFile}`, error);
          return false;
        },
      );
      if (this.#options.closing.aborted) return;
      await store.noteDecision(decided.workflow, decided.id, isWritten);
    }
  }

  async #enter(decided: StoredProposal): Promise<void> {
    const { store, shelves } = this.#options;
    const instance: Instance | null = await store.instance(decided.workflow);
    if (!instance || instance.definition.context === false) return;
    const documents = shelves.of(instance);
    const author = { workflow: instance.id, author: "system" } as const;
    await retryWhileUnavailable(this.#options, async () => {
      const current = await documents.read({ workflow: instance.id }, decisionsFile);
      if (current?.content.includes(decisionMark(decided))) return;
      const entry = decisionEntry(decided);
      await documents.append(author, decisionsFile, current && current.content !== "" ? `\n${entry}` : heading + entry);
    });
  }
}
