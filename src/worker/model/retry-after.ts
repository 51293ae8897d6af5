/** Reads from a provider's response headers when to try again. */

/** The wait in milliseconds. Headers give it in milliseconds, in seconds, as a date, or as the time a limit resets. */
export function readRetryAfter(headers: Record<string, string>, now: number): number | undefined {
  const milliseconds = numberIn(headers["retry-after-ms"]);
  if (milliseconds !== undefined) return milliseconds;
  const after = headers["retry-after"];
  const seconds = numberIn(after);
  if (seconds !== undefined) return seconds * 1_000;
  const date = after === undefined ? Number.NaN : Date.parse(after);
  if (!Number.isNaN(date)) return Math.max(0, date - now);
  const reset = numberIn(headers["anthropic-ratelimit-unified-reset"]);
  return reset === undefined ? undefined : Math.max(0, reset * 1_000 - now);
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}
