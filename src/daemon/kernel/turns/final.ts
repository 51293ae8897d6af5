/** What becomes of a turn's final text. */
import type { Delivery } from "../../../protocol/delivery.ts";
import { messageBytes, namesPerMessage } from "../../../protocol/limits.ts";
import { sha256 } from "../../../system/sha256.ts";
import type { Finish } from "../../store/data.ts";
import { draftOf } from "../channel/send.ts";
import { headAndTail } from "../../../text/shorten.ts";

/** How much is shown of a text that no message can hold; a resource holds the whole. */
const shownChars = 16_000;

/**
 * The final text answers whoever asked: a person's message is replied to. After anything private it is private itself,
 * for it may tell of that. Addressed to
 * agents, it is a message to those that the turn has not written to; else it is kept as a log. The store decides
 * between these, since only it knows whom the turn has addressed.
 */
export function finalDraft(agent: string, text: string, deliveries: Delivery[]): Finish["final"] {
  if (text.trim() === "") return undefined;
  const question = deliveries.findLast(
    ({ message: { sender, kind } }) => sender === "user" && kind !== "proposal",
  )?.message;
  const whole = text.toWellFormed();
  const content = shorten(whole);
  const draft = draftOf(agent, { content });
  return {
    ...draft,
    mentions: draft.mentions.slice(0, namesPerMessage),
    ...(content !== whole && { whole }),
    private: deliveries.some(({ message }) => message.private),
    answers: question !== undefined,
    ...(question && { inReplyTo: question.id }),
  };
}

function shorten(text: string): string {
  if (Buffer.byteLength(text) <= messageBytes) return text;
  const id = sha256(text);
  return headAndTail(
    text,
    shownChars,
    (missing) => `\n[… ${missing} characters are left out here; the whole is the resource ${id}]\n`,
  );
}
