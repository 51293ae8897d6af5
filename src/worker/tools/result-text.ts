/** Converts a tool's result to text for a model, within a size limit. */
import { KiB } from "../../protocol/limits.ts";
import { createCollector } from "../../text/clip.ts";

const headBytes = 64 * KiB;
const tailBytes = 32 * KiB;

/** Strings stay as they are; everything else becomes JSON. */
export function resultText(value: unknown): string {
  const text = typeof value === "string" ? value : (toJson(value) ?? String(value ?? "done"));
  const collector = createCollector(headBytes, tailBytes);
  collector.push(Buffer.from(text));
  return collector.text();
}

/** Undefined for a value that JSON cannot represent, such as a function or a circular structure. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner));
  } catch {
    return undefined;
  }
}
