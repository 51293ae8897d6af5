/** Time that passes only when a test says so. */
export class Clock {
  #ms = 1_800_000_000_000;

  readonly now = (): number => this.#ms;

  advance(ms: number): void {
    this.#ms += ms;
  }
}
