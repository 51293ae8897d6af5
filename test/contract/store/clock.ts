/** A clock that advances only when a test tells it to. */
export class Clock {
  #ms = 1_800_000_000_000;

  readonly now = (): number => this.#ms;

  advance(ms: number): void {
    this.#ms += ms;
  }
}
