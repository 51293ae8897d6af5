/** With `history: thread`: what one turn keeps for the next, as text that only this backend reads. */
import { type ModelMessage, modelMessageSchema } from "ai";
import { KiB } from "../../../protocol/limits.ts";

/** About 64,000 tokens. Beyond that, the oldest turns are dropped. */
const maxBytes = 256 * KiB;

export function readConversation(text: string | undefined): ModelMessage[] {
  return text === undefined ? [] : modelMessageSchema.array().parse(JSON.parse(text));
}

/** Keeps as many of the last turns as fit, each from its first message on, because a tool result needs its call. */
export function keepConversation(messages: ModelMessage[]): string {
  let kept = JSON.stringify([]);
  for (let start = messages.length - 1; start >= 0; start--) {
    if (messages[start]?.role !== "user") continue;
    const longer = JSON.stringify(messages.slice(start));
    if (Buffer.byteLength(longer) > maxBytes) break;
    kept = longer;
  }
  return kept;
}
