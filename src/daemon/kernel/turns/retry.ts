/** When a failed attempt is retried. */
import type { Retry } from "../../../protocol/definition/agent-definition.ts";
import type { Failure } from "../../../protocol/turn.ts";

const maxDelayMs = 60 * 60_000;

/**
 * The delay before each retry: exponential, with up to 25% jitter so that agents that failed together do not retry
 * together, and never shorter than the provider asked for.
 */
export function retryDelays(retry: Retry, failure: Failure, random: () => number): number[] {
  return Array.from({ length: retry.attempts - 1 }, (_, index) => {
    const backoff = Math.min(retry.backoff * retry.multiplier ** index, maxDelayMs);
    return Math.round(Math.max(backoff * (1 + random() / 4), failure.retryAfterMs ?? 0));
  });
}
