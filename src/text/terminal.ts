/** Makes text from agents, files and people safe for a terminal: no control sequences, and a known width. */

/* oxlint-disable no-control-regex -- finding control characters is what these are for */
const sequences = new RegExp(
  [
    // Strings that a terminal interprets (titles, clipboard, hyperlinks), up to their end.
    "(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d\\x9e\\x9f])[^\\x07\\x1b\\x9c]*(?:\\x07|\\x1b\\\\|\\x9c)?",
    // Cursor, colour and mode commands.
    "(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]?",
    // All other escapes.
    "\\x1b[ -/]*[0-~]?",
  ].join("|"),
  "g",
);
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
/* oxlint-enable no-control-regex */
/** Marks that change the text direction, so that a text reads differently from its content. */
const directions = /[\u202a-\u202e\u2066-\u2069]/g;

/** `text` without anything that a terminal would interpret; line breaks and tabs are kept. */
export function printable(text: string): string {
  return text.replaceAll(sequences, "").replaceAll(/\r\n?/g, "\n").replaceAll(controls, "").replaceAll(directions, "");
}

/** `text` on one line, at most `width` columns wide. */
export function oneLine(text: string, width: number): string {
  return clip(printable(text).replaceAll(/\s+/g, " ").trim(), width);
}

/** Cuts to `width` columns, with a mark; colours are kept. */
export function clip(text: string, width: number): string {
  return Bun.stringWidth(text) <= width ? text : Bun.sliceAnsi(text, 0, Math.max(width, 1), "…");
}

export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - Bun.stringWidth(text)));
}

/** Wraps at words into lines of at most `width` columns, each indented like its original line. */
export function wrap(text: string, width: number): string[] {
  const columns = Math.max(1, width);
  return text.split("\n").flatMap((line) => wrapLine(line.replaceAll("\t", "    ").trimEnd(), columns));
}

function wrapLine(line: string, width: number): string[] {
  if (Bun.stringWidth(line) <= width) return [line];
  const words = line.trimStart();
  const indent = " ".repeat(Math.min(line.length - words.length, Math.floor(width / 2)));
  const wrapped = Bun.wrapAnsi(words, Math.max(1, width - indent.length), { hard: true });
  return wrapped.split("\n").map((part) => indent + part);
}

/** `1 message`, `2 messages`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Dollars; an amount below one cent is not shown as zero. */
export function formatCost(cost: number): string {
  return cost > 0 && cost < 0.01 ? "<$0.01" : `$${cost.toFixed(2)}`;
}
