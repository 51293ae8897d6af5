/** All randomness of a simulation: one seed gives one sequence. */

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1);
  }

  /** From 0 up to, but not including, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A separate sequence: drawing from it does not affect any other. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 2 ** 31));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Both ends included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.int(0, items.length - 1)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  /** Up to `most` different items. */
  several<Item>(items: readonly Item[], most: number): Item[] {
    if (items.length === 0) return [];
    const wanted = this.int(1, most);
    return [...new Set(Array.from({ length: wanted }, () => this.pick(items)))];
  }

  /** One of the keys, with a probability proportional to its weight. */
  weigh<Key extends string>(weights: Record<Key, number>): Key {
    const entries = Object.entries<number>(weights) as [Key, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    return (entries.find(([, weight]) => (left -= weight) < 0) ?? entries[0]!)[0];
  }
}
