/** Repeating what the store could not do: what has happened must be recorded, and needs no restart once it can be. */
import { AppError } from "../../protocol/error.ts";
import { isUnavailable } from "../store/unavailable.ts";
import { type Clock, delay } from "./clock.ts";

const firstPauseMs = 100;
const longestPauseMs = 1_000;
/** Trouble that lasts is told again so much later. */
const reportEveryMs = 30_000;
/** How often an unknown error may come before it counts as a defect, which no repeating mends. */
const mostDefects = 5;

export type RetryOptions = {
  clock: Clock;
  report: (trouble: string, error: unknown) => void;
  /** Aborted when the daemon stops: then nothing is tried again, as after a crash. */
  closing: AbortSignal;
  /** Somebody waits for an answer, and is told after this long that there is none; without it, there is no end. */
  patienceMs?: number;
};

/**
 * Repeats an operation until it succeeds, the daemon stops, or there is a decision: any `AppError` that does not say that
 * the store is unavailable. The operation must be one whose failure leaves nothing behind, as each of the store's is.
 */
export async function retryWhileUnavailable<Result>(
  { clock, report, closing, patienceMs = Infinity }: RetryOptions,
  operation: () => Promise<Result>,
): Promise<Result> {
  const begun = clock.monotonic();
  let reportAt = begun;
  let defects = 0;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await operation();
    } catch (error) {
      if (!isUnavailable(error) && (error instanceof AppError || ++defects >= mostDefects)) throw error;
      const now = clock.monotonic();
      if (closing.aborted || now - begun >= patienceMs) throw error;
      if (now >= reportAt) {
        report("waiting for the store", error);
        reportAt = now + reportEveryMs;
      }
      await delay(clock, pauseMs);
      if (closing.aborted) throw error;
    }
  }
}
