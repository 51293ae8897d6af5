/** Everything that anyone said, each with a text of its own, and what the sender was told became of it. */

/** One attempt of one turn. */
export type Attempt = { agent: string; turn: string; attempt: number };

export type Utterance = {
  content: string;
  /** Null: a person. */
  author: Attempt | null;
  /** A final text is stored by the turn's end, and nobody is told. */
  isFinal: boolean;
  to: string[];
  /** Ids that the sender was told. */
  told: Set<string>;
  /** Times that the sender heard nothing: it may have been stored or not. */
  unheard: number;
};

export class Words {
  readonly #said = new Map<string, Utterance>();

  /** Words that nobody has used yet. */
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
