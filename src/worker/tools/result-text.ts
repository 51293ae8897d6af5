/** What a tool gave, as text that a model can be shown: never more than fits. */
import { KiB } from "../../protocol/limits.ts";
import { createCollector } from "../../text/clip.ts";

const headBytes = 64 * KiB;
const tailBytes = 32 * KiB;

/** Texts stay as they are; everything else becomes JSON. */
export function resultText(value: unknown): string {
  const text = typeof value === "string" ? value : (toJson(value) ?? String(value ?? "done"));
  const collector = createCollector(headBytes, tailBytes);
  collector.push(Buffer.from(text));
  return collector.text();
}

/** Undefined for what JSON cannot hold, such as a function or a circle. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner));
  } catch {
    return undefined;
  }
}
