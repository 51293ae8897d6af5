/** Long text as its head and tail, with a word in between about the rest; never cut within a character. */
import type { Message } from "../protocol/message.ts";
import { longMessageChars } from "../protocol/limits.ts";

/** However many values there are, this much of each is shown. */
const leastShown = 400;

/** At most `most` characters of a text, more of its head than of its tail; `mark` says what is missing. */
export function headAndTail(text: string, most: number, mark: (missing: number) => string): string {
  if (text.length <= most) return text;
  const head = upTo(text, Math.ceil((most * 2) / 3));
  const tail = from(text, text.length - Math.floor(most / 3));
  return `${head}\n${mark(text.length - head.length - tail.length)}\n${tail}`;
}

/** A message as agents are shown it. Of one that was interpolated the values are shortened, never the author's words. */
export function shortenMessage({ content, resource, values = [] }: Message): string {
  if (content.length <= longMessageChars || resource === undefined) return content;
  const mark = (missing: number) => `[… ${missing} characters are left out here: resource_read ${resource}]`;
  if (values.length === 0) return headAndTail(content, longMessageChars, mark);
  const share = Math.max(leastShown, Math.floor(roomForValues(content, values) / values.length));
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
