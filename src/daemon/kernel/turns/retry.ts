/** When a failed attempt is tried again. */
import type { Retry } from "../../../protocol/definition/agent-definition.ts";
import type { Failure } from "../../../protocol/turn.ts";

const maxDelayMs = 60 * 60_000;

/**
 * The delay before each further attempt: exponential, with up to a quarter of jitter so that agents which failed
 * together do not come back together, and never sooner than the provider asked.
 */
export function retryDelays(retry: Retry, failure: Failure, random: () => number): number[] {
  return Array.from({ length: retry.attempts - 1 }, (_, index) => {
    const backoff = Math.min(retry.backoff * retry.multiplier ** index, maxDelayMs);
    return Math.round(Math.max(backoff * (1 + random() / 4), failure.retryAfterMs ?? 0));
  });
}
