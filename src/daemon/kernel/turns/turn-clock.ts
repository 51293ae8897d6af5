/** The two clocks of an attempt: how long it may take, and how long it may be silent. While a person is asked, both stand still. */
import type { Clock, ClockTimer } from "../clock.ts";

export type TurnClockOptions = {
  clock: Clock;
  timeoutMs: number;
  /** Without progress for so long, the time is up as well. */
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

  /** There was a sign of progress: the silence is counted anew. */
  progress(): void {
    const { clock, idleTimeoutMs, onTimeUp } = this.#options;
    this.#idle?.cancel();
    if (idleTimeoutMs === undefined || this.#state !== "going" || this.#pauses > 0) return;
    const reason = `no sign of progress for ${idleTimeoutMs / 1_000} s (idle_timeout)`;
    this.#idle = clock.after(idleTimeoutMs, () => onTimeUp(reason));
  }

  /** Stops both until what this gives is called; of several pauses, until the last is over. */
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
