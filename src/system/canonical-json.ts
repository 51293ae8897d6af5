/** One text, and one hash, for equal JSON: what a decision about a tool call is bound to. */
import { sha256 } from "./sha256.ts";

/** Names are sorted, so that equal arguments have equal text however they were written. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : part,
  );
}

/** SHA-256 of a call's exact arguments. */
export function hashArguments(args: Record<string, unknown>): string {
  return sha256(canonicalJson(args));
}
