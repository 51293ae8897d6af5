/** The same text and hash for equal JSON values. An approval of a tool call is bound to that hash. */
import { sha256 } from "./sha256.ts";

/** Keys are sorted, so that equal arguments have equal text whatever the order of their keys. */
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
