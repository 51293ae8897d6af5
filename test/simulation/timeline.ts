/** Simulated time: a queue of steps, in order. Nothing happens by itself, and all promises settle between two steps. */
import { drainMicrotasks } from "bun:jsc";
import type { ClockTimer } from "../../src/daemon/kernel/clock.ts";

type Entry = { at: number; order: number; run: () => void };

/** The wall clock at the start. */
const epoch = Date.UTC(2030, 0, 1);

export class Timeline {
  #entries: Entry[] = [];
  #monotonic = 0;
  #skew = 0;
  #order = 0;
  #steps = 0;

  /** Milliseconds since the start. */
  get monotonic(): number {
    return this.#monotonic;
  }

  get wall(): number {
    return epoch + this.#monotonic + this.#skew;
  }

  /** Number of steps so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Someone sets the wall clock. */
  jump(ms: number): void {
    this.#skew += ms;
  }

  after(ms: number, run: () => void): ClockTimer {
    const entry = { at: this.#monotonic + Math.max(0, Math.ceil(ms)), order: this.#order++, run };
    const later = this.#entries.findIndex(({ at }) => at > entry.at);
    this.#entries.splice(later < 0 ? this.#entries.length : later, 0, entry);
    return {
      cancel: () => {
        const index = this.#entries.indexOf(entry);
        if (index >= 0) this.#entries.splice(index, 1);
      },
    };
  }

  /** Lets this much time pass, with everything that happens in it. */
  pass(ms: number): void {
    const end = this.#monotonic + ms;
    drainMicrotasks();
    while (this.#entries[0] && this.#entries[0].at <= end) this.step();
    this.#monotonic = end;
  }

  /** Runs the next step and everything that follows from it; false if no step is left. */
  step(): boolean {
    drainMicrotasks();
    const entry = this.#entries.shift();
    if (!entry) return false;
    this.#monotonic = entry.at;
    this.#steps += 1;
    entry.run();
    drainMicrotasks();
    return true;
  }
}

/** The result of a promise that depends on no later step. */
export function settled<Value>(promise: Promise<Value>): Value {
  let result: { value: Value } | { error: unknown } | undefined;
  promise.then(
    (value) => (result = { value }),
    (error: unknown) => (result = { error }),
  );
  drainMicrotasks();
  if (!result) throw new Error("this promise waits for something");
  if ("error" in result) throw result.error;
  return result.value;
}
