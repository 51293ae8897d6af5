/** Retries store operations while the store is unavailable, so that what happened is recorded without a restart. */
import { AppError } from "../../protocol/error.ts";
import { isUnavailable } from "../store/unavailable.ts";
import { type Clock, delay } from "./clock.ts";

const firstPauseMs = 100;
const maxPauseMs = 1_000;
/** A lasting problem is reported again after this time. */
const reportEveryMs = 30_000;
/** After this many unknown errors, the cause is a bug, and retrying does not help. */
const maxDefects = 5;

export type RetryOptions = {
  clock: Clock;
  report: (problem: string, error: unknown) => void;
  /** Aborted when the daemon stops, or earlier when the work is over: nothing is retried after that. */
  closing: AbortSignal;
  /** A caller waits for the answer and gets an error after this time. Default: no limit. */
  patienceMs?: number;
};

/**
 * Retries an operation until it succeeds, until `closing` is aborted or the caller's time is up, or until it throws an
 * `AppError` other than "store unavailable". An unknown error can have a temporary cause, so the operation is tried up to
 * five times. A failed operation must have no effect, which is true of every store operation.
 */
export async function retryWhileUnavailable<Result>(
  { clock, report, closing, patienceMs = Infinity }: RetryOptions,
  operation: () => Promise<Result>,
): Promise<Result> {
  const begun = clock.monotonic();
  let reportAt = begun;
  let defects = 0;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    try {
      return await operation();
    } catch (error) {
      if (!isUnavailable(error) && (error instanceof AppError || ++defects >= maxDefects)) throw error;
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

/** The same object, but each of its functions is retried, except for the named ones. */
export function retryEach<Target extends object>(
  options: RetryOptions,
  target: Target,
  unretried: ReadonlySet<string | symbol> = new Set(),
): Target {
  return new Proxy(target, {
    get(_, name) {
      const operation: unknown = Reflect.get(target, name);
      if (typeof operation !== "function" || unretried.has(name)) return operation;
      return (...args: unknown[]) => retryWhileUnavailable(options, async () => operation(...args));
    },
  });
}
