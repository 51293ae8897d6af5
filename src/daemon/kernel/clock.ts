/** The clock of the kernel; passed in, so that a simulation can control time. */

export type ClockTimer = { cancel(): void };

export interface Clock {
  /** Milliseconds of the wall clock. */
  now(): number;
  /** Milliseconds that never go back. */
  monotonic(): number;
  after(ms: number, run: () => void): ClockTimer;
}

/** The longest delay of a system timer; longer delays take several timers. */
const maxMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    let left = Math.max(0, ms);
    let handle: ReturnType<typeof setTimeout>;
    const step = () => {
      const next = Math.min(left, maxMs);
      left -= next;
      handle = setTimeout(left > 0 ? step : run, next);
    };
    step();
    return { cancel: () => clearTimeout(handle) };
  },
};

/** Resolves after `ms`. */
export function delay(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}
