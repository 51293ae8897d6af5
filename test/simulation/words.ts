/** Every text that was sent, each unique, and what its sender was told about it. */

/** One attempt of one turn. */
export type Attempt = { agent: string; turn: string; attempt: number };

export type Utterance = {
  content: string;
  /** Null: a person. */
  author: Attempt | null;
  /** A final text is stored when the turn ends, without a confirmation. */
  isFinal: boolean;
  to: string[];
  /** Ids that the sender received. */
  told: Set<string>;
  /** How often the sender got no answer: the text may or may not have been stored. */
  unheard: number;
};

export class Words {
  readonly #said = new Map<string, Utterance>();

  /** A text that has not been used yet. */
  coin(author: Attempt | null, text: string, options: { isFinal?: boolean; to?: string[] } = {}): Utterance {
    const utterance: Utterance = {
      content: `words ${this.#said.size + 1}: ${text}`,
      author,
      isFinal: options.isFinal ?? false,
      to: options.to ?? [],
      told: new Set(),
      unheard: 0,
    };
    this.#said.set(utterance.content, utterance);
    return utterance;
  }

  find(content: string): Utterance | undefined {
    return this.#said.get(content);
  }

  all(): Iterable<Utterance> {
    return this.#said.values();
  }
}
