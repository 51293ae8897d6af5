/** Turns the final text of a turn into a draft. */
import type { Delivery } from "../../../protocol/delivery.ts";
import { messageBytes, namesPerMessage } from "../../../protocol/limits.ts";
import { sha256 } from "../../../system/sha256.ts";
import type { Finish } from "../../store/data.ts";
import { draftOf } from "../channel/send.ts";
import { headAndTail } from "../../../text/shorten.ts";

/** How much is shown of a text that is too long for a message; a resource has the full text. */
const shownChars = 16_000;

/**
 * The final text replies to a person's message if the turn handled one. It is private if any of those messages was, since
 * it may reveal their content. If it mentions agents, it is sent to those the turn has not written to yet; otherwise it is
 * kept as a log. The store decides this, since only it knows which agents the turn has written to.
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
    (missing) => `\n[… ${missing} characters omitted; the full text is the resource ${id}]\n`,
  );
}
