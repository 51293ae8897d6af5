/** The two timeouts of an attempt: total time and time without progress. Both pause while a person is asked. */
import type { Clock, ClockTimer } from "../clock.ts";

export type TurnClockOptions = {
  clock: Clock;
  timeoutMs: number;
  /** Time is also up after this long without progress. */
  idleTimeoutMs?: number;
  onTimeUp: (reason: string) => void;
};

export class TurnClock {
  readonly #options: TurnClockOptions;
  #leftMs: number;
  #since = 0;
  #total: ClockTimer | undefined;
  #idle: ClockTimer | undefined;
  #state: "new" | "going" | "over" = "new";
  #pauses = 0;

  constructor(options: TurnClockOptions) {
    this.#options = options;
    this.#leftMs = options.timeoutMs;
  }

  start(): void {
    if (this.#state !== "new") return;
    this.#state = "going";
    this.#go();
  }

  /** Progress: restarts the idle timeout. */
  progress(): void {
    const { clock, idleTimeoutMs, onTimeUp } = this.#options;
    this.#idle?.cancel();
    if (idleTimeoutMs === undefined || this.#state !== "going" || this.#pauses > 0) return;
    const reason = `no progress for ${idleTimeoutMs / 1_000} s (idle_timeout)`;
    this.#idle = clock.after(idleTimeoutMs, () => onTimeUp(reason));
  }

  /** Pauses both timeouts until the returned function is called; overlapping pauses last until the last one ends. */
  pause(): () => void {
    if (this.#pauses++ === 0) this.#halt();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#pauses === 0) this.#go();
    };
  }

  stop(): void {
    this.#halt();
    this.#state = "over";
  }

  #go(): void {
    const { clock, timeoutMs, onTimeUp } = this.#options;
    if (this.#state !== "going" || this.#pauses > 0) return;
    this.#since = clock.monotonic();
    this.#total = clock.after(this.#leftMs, () => onTimeUp(`not finished after ${timeoutMs / 1_000} s (timeout)`));
    this.progress();
  }

  #halt(): void {
    if (this.#state !== "going") return;
    this.#total?.cancel();
    this.#idle?.cancel();
    this.#leftMs -= this.#options.clock.monotonic() - this.#since;
  }
}
