/** Formats a message as Markdown for people: one entry of `channel.md` and of the output of `export`. */
import type { Message } from "../protocol/message.ts";

/** The middle of longer content is left out; the store has the full text. */
const entryChars = 20_000;

/** An entry starts with a heading; lines of the content that look like one are escaped. */
export function renderEntry(message: Message): string {
  const { seq, createdAt, sender, recipients, content } = message;
  const at = new Date(createdAt).toISOString().replace("T", " ").replace(/\..*$/, "Z");
  const to = recipients.length > 0 ? ` → ${recipients.join(", ")}` : "";
  return `### #${seq} ${at} [${sender}]${to}${marksOf(message)}\n${escapeHeadings(shorten(content)).trimEnd()}\n\n`;
}

function marksOf({ kind, private: isPrivate }: Message): string {
  const marks = [...(kind === "log" || kind === "proposal" ? [kind] : []), ...(isPrivate ? ["private"] : [])];
  return marks.map((mark) => ` (${mark})`).join("");
}

function escapeHeadings(text: string): string {
  return text.replaceAll(/^(?=#{1,3} )/gm, "\\");
}

function shorten(text: string): string {
  if (text.length <= entryChars) return text;
  const half = entryChars / 2;
  const missing = text.length - entryChars;
  return `${text.slice(0, half)}\n[… ${missing} characters]\n${text.slice(-half)}`.toWellFormed();
}
