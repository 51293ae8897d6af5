/** Shortens long text to its head and tail, with a mark in between; never splits a character. */
import type { Message } from "../protocol/message.ts";
import { longMessageChars } from "../protocol/limits.ts";

/** At least this much of each value is shown, however many there are. */
const minShownChars = 400;

/** At most `maxChars` of a text, more of its head than of its tail; `mark` describes what is missing. */
export function headAndTail(text: string, maxChars: number, mark: (missing: number) => string): string {
  if (text.length <= maxChars) return text;
  const head = upTo(text, Math.ceil((maxChars * 2) / 3));
  const tail = from(text, text.length - Math.floor(maxChars / 3));
  return `${head}\n${mark(text.length - head.length - tail.length)}\n${tail}`;
}

/** A message as agents see it. In an interpolated message only the values are shortened, never the author's text. */
export function shortenMessage({ content, resource, values = [] }: Message): string {
  if (content.length <= longMessageChars || resource === undefined) return content;
  const mark = (missing: number) => `[… ${missing} characters left out: resource_read ${resource}]`;
  if (values.length === 0) return headAndTail(content, longMessageChars, mark);
  const share = Math.max(minShownChars, Math.floor(roomForValues(content, values) / values.length));
  let shown = "";
  let copied = 0;
  for (const [start, end] of values) {
    shown += content.slice(copied, start) + headAndTail(content.slice(start, end), share, mark);
    copied = end;
  }
  return shown + content.slice(copied);
}

function roomForValues(content: string, values: [number, number][]): number {
  const ofValues = values.reduce((sum, [start, end]) => sum + end - start, 0);
  return longMessageChars - (content.length - ofValues);
}

function upTo(text: string, end: number): string {
  return /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? text.slice(0, end - 1) : text.slice(0, end);
}

function from(text: string, start: number): string {
  return /[\uDC00-\uDFFF]/.test(text.charAt(start)) ? text.slice(start + 1) : text.slice(start);
}
