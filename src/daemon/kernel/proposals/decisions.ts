/** `decisions.md`: what the team has decided by vote, written down among its documents, each decision once. */
import { createQueue } from "../../documents/queue.ts";
import type { Instance, StoredProposal } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import { decisionEntry, decisionMark } from "./proposal-text.ts";
import type { OpenDocuments } from "../documents/open-documents.ts";
import { type RetryOptions, retryWhileUnavailable } from "../retry-while-unavailable.ts";

export const decisionsFile = "decisions.md";
const heading = "# Decisions\n\n";
/** Written in one go; what is left follows with the next decision, or the next start. */
const maxAtOnce = 1_000;

export type DecisionsOptions = RetryOptions & {
  /** One that repeats what it cannot do at once. */
  store: Store;
  openDocuments: OpenDocuments;
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
  write(instance: string | null): Promise<void> {
    return this.#inOrder(() => this.#write(instance));
  }

  /** Waits for what is being written; `closing` lets nothing else begin. */
  async close(): Promise<void> {
    await this.#inOrder(() => Promise.resolve());
  }

  async #write(instance: string | null): Promise<void> {
    const { store, report } = this.#options;
    if (this.#options.closing.aborted) return;
    for (const decided of await store.unwrittenDecisions(instance, maxAtOnce)) {
      const isWritten = await this.#enter(decided).then(
        () => true,
        (error: unknown) => {
          report(`a decision could not be written to ${decisionsFile}`, error);
          return false;
        },
      );
      if (this.#options.closing.aborted) return;
      await store.noteDecision(decided.instance, decided.id, isWritten);
    }
  }

  async #enter(decided: StoredProposal): Promise<void> {
    const { store, openDocuments } = this.#options;
    const instance: Instance | null = await store.instance(decided.instance);
    if (!instance || instance.definition.context === false) return;
    const documents = openDocuments.of(instance);
    const author = { instance: instance.id, author: "system" } as const;
    await retryWhileUnavailable(this.#options, async () => {
      const current = await documents.read({ instance: instance.id }, decisionsFile);
      if (current?.content.includes(decisionMark(decided))) return;
      const entry = decisionEntry(decided);
      await documents.append(author, decisionsFile, current && current.content !== "" ? `\n${entry}` : heading + entry);
    });
  }
}
