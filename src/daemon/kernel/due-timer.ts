/** Runs what is due: one timer for the next due time, one check at a time, and no requested check is lost. */
import type { Clock, ClockTimer } from "./clock.ts";

/** The longest wait, since timers do not notice a changed clock or a sleeping machine. */
const maxWaitMs = 60_000;
/** After a failure, check again after this time. */
export const retryMs = 5_000;

export type DueTimerOptions = {
  clock: Clock;
  report: (problem: string, error: unknown) => void;
  /** Aborted when the daemon stops: no check starts after that. */
  closing: AbortSignal;
  /** Does what is due, and returns when to check again; null if there is nothing to wait for. */
  runDue: () => Promise<number | null>;
  /** Reported when that fails. */
  problem: string;
};

export class DueTimer {
  readonly #options: DueTimerOptions;
  #timer: ClockTimer | undefined;
  #checking: Promise<void> | undefined;
  /** A check was requested since the current one started. */
  #latched = false;

  constructor(options: DueTimerOptions) {
    this.#options = options;
  }

  /** Call when something may be due, or due earlier than before. */
  check(): void {
    this.#latched = true;
    this.#checking ??= this.#drive().finally(() => (this.#checking = undefined));
  }

  /** Waits for the current check; `closing` prevents new ones. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    await this.#checking;
  }

  async #drive(): Promise<void> {
    const { clock, closing, report, runDue, problem } = this.#options;
    while (this.#latched && !closing.aborted) {
      this.#latched = false;
      this.#timer?.cancel();
      this.#timer = undefined;
      const dueAt = await runDue().catch((error: unknown) => {
        report(problem, error);
        return clock.now() + retryMs;
      });
      if (dueAt === null || closing.aborted) continue;
      const waitMs = Math.max(0, Math.min(dueAt - clock.now(), maxWaitMs));
      this.#timer = clock.after(waitMs, () => this.check());
    }
  }
}
