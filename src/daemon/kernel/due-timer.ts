/** Looks out for what is due: one timer for the next moment, one look at a time, and none that is asked for is lost. */
import type { Clock, ClockTimer } from "./clock.ts";

/** A clock that is set, or a machine that slept, is noticed so much later at most: timers do not count either. */
const maxWaitMs = 60_000;
/** After what could not be done: look again so much later. */
export const troubleMs = 5_000;

export type DueTimerOptions = {
  clock: Clock;
  report: (trouble: string, error: unknown) => void;
  /** Aborted when the daemon stops: no look begins from then on. */
  closing: AbortSignal;
  /** Does what is due, and gives when to look again; null when there is nothing to wait for. */
  runDue: () => Promise<number | null>;
  /** What is said when that fails. */
  trouble: string;
};

export class DueTimer {
  readonly #options: DueTimerOptions;
  #timer: ClockTimer | undefined;
  #checking: Promise<void> | undefined;
  /** Something has changed since the look that is under way began. */
  #latched = false;

  constructor(options: DueTimerOptions) {
    this.#options = options;
  }

  /** Asked whenever something may be due, or be due sooner than was known. */
  check(): void {
    this.#latched = true;
    this.#checking ??= this.#drive().finally(() => (this.#checking = undefined));
  }

  /** Waits for the look that is under way; `closing` lets no other begin. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    await this.#checking;
  }

  async #drive(): Promise<void> {
    const { clock, closing, report, runDue, trouble } = this.#options;
    while (this.#latched && !closing.aborted) {
      this.#latched = false;
      this.#timer?.cancel();
      this.#timer = undefined;
      const dueAt = await runDue().catch((error: unknown) => {
        report(trouble, error);
        return clock.now() + troubleMs;
      });
      if (dueAt === null || closing.aborted) continue;
      const waitMs = Math.max(0, Math.min(dueAt - clock.now(), maxWaitMs));
      this.#timer = clock.after(waitMs, () => this.check());
    }
  }
}
