/** Writes the team's decisions to `decisions.md` among its documents, each decision once. */
import { createQueue } from "../../documents/queue.ts";
import type { Instance, StoredProposal } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import { decisionEntry, decisionMark } from "./proposal-text.ts";
import type { OpenDocuments } from "../documents/open-documents.ts";
import { type RetryOptions, retryWhileUnavailable } from "../retry-while-unavailable.ts";

export const decisionsFile = "decisions.md";
const heading = "# Decisions\n\n";
/** How many are written at once; the rest is written with the next decision or the next start. */
const maxAtOnce = 1_000;

export type DecisionsOptions = RetryOptions & {
  /** A store that retries while it is unavailable. */
  store: Store;
  openDocuments: OpenDocuments;
};

export class Decisions {
  readonly #options: DecisionsOptions;
  /** One write at a time, so that no entry is added between the check and the write. */
  readonly #inOrder = createQueue();

  constructor(options: DecisionsOptions) {
    this.#options = options;
  }

  /**
   * Writes the decisions that are not written yet, of one instance or of all. The store keeps track of them, so a crash
   * loses nothing; an entry that was written just before a crash is found and not added again.
   */
  write(instance: string | null): Promise<void> {
    return this.#inOrder(() => this.#write(instance));
  }

  /** Waits for the current write; `closing` prevents new ones. */
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
