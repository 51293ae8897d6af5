/** Finds code in Markdown, following CommonMark, in one pass: first fences, then code spans in the rest. */

export type Range = readonly [start: number, end: number];

type Fence = { start: number; mark: string; indent: number; quoted: boolean };
type Blocks = { fences: Range[]; texts: Range[] };

/** A fence can follow the markers of quotes and lists; the info string after backticks cannot contain a backtick. */
const opening = /([ \t]*(?:(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])[ \t]*)*)(?:(`{3,})(?=[^`\n]*(?:\n|$))|(~{3,}))/y;
const closing = /([ \t>]*)(`{3,}|~{3,})[ \t\r]*(?=\n|$)/y;
const quote = /[ \t]*>/y;
/** A line that cannot continue the paragraph before it: blank, or a list item, a heading, a quote, a table row. */
const blockStart = /[ \t]*(?:\r?(?:\n|$)|(#{1,6}|[-*+]|\d{1,9}[.)])[ \t]|[>|])/y;

/** The ranges of `text` that are fenced code or inline code, in order. An unclosed fence extends to the end. */
export function codeRanges(text: string): Range[] {
  if (!/`|~~~/.test(text)) return [];
  const { fences, texts } = splitBlocks(text);
  return [...fences, ...codeSpans(text, texts)].sort((a, b) => a[0] - b[0]);
}

/** `text` with each of `ranges`, which must be in order, replaced by `replacement`. */
export function replaceRanges(text: string, ranges: readonly Range[], replacement: string): string {
  const parts: string[] = [];
  let copied = 0;
  for (const [start, end] of ranges) {
    parts.push(text.slice(copied, start), replacement);
    copied = end;
  }
  parts.push(text.slice(copied));
  return parts.join("");
}

function splitBlocks(text: string): Blocks {
  const fences: Range[] = [];
  const texts: Range[] = [];
  let fence: Fence | undefined;
  let textStart = 0;
  let afterHeading = false;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline + 1;
    if (fence?.quoted && !matchAt(quote, text, start)) {
      fences.push([fence.start, start]);
      fence = undefined;
      textStart = start;
    }
    if (fence) {
      if (closes(fence, matchAt(closing, text, start))) {
        fences.push([fence.start, end]);
        fence = undefined;
        textStart = end;
      }
    } else {
      const match = matchAt(opening, text, start);
      const block = matchAt(blockStart, text, start);
      if (match || block || afterHeading) {
        texts.push([textStart, start]);
        textStart = start;
      }
      afterHeading = block?.[1]?.startsWith("#") ?? false;
      if (match) {
        const indent = match[1]!;
        fence = { start, mark: match[2] ?? match[3]!, indent: indent.length, quoted: indent.includes(">") };
      }
    }
    start = end;
  }
  if (fence) fences.push([fence.start, text.length]);
  else texts.push([textStart, text.length]);
  return { fences, texts };
}

function closes(fence: Fence, match: RegExpExecArray | undefined): boolean {
  if (!match) return false;
  const [, indent, mark] = match;
  return mark![0] === fence.mark[0] && mark!.length >= fence.mark.length && indent!.length <= fence.indent + 3;
}

/** A run of backticks opens a span if a run of the same length follows in the same block. */
function codeSpans(text: string, blocks: readonly Range[]): Range[] {
  const spans: Range[] = [];
  const nextRun = runsByLength(text);
  const token = /\\[^]|`+/g;
  let block = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    while (block < blocks.length && blocks[block]![1] <= match.index) block++;
    const [blockBegin, blockEnd] = blocks[block] ?? [text.length, text.length];
    if (match.index < blockBegin) {
      token.lastIndex = blockBegin;
      continue;
    }
    if (match[0].startsWith("\\")) continue;
    const closer = nextRun(match[0].length, token.lastIndex);
    if (closer === undefined || closer >= blockEnd) continue;
    spans.push([match.index, closer + match[0].length]);
    token.lastIndex = closer + match[0].length;
  }
  return spans;
}

/** Finds the next run of exactly a length. Calls must have increasing `from`, so that each run is visited once. */
function runsByLength(text: string): (length: number, from: number) => number | undefined {
  const runs = new Map<number, { starts: number[]; next: number }>();
  for (const match of text.matchAll(/`+/g)) {
    const known = runs.get(match[0].length);
    if (known) known.starts.push(match.index);
    else runs.set(match[0].length, { starts: [match.index], next: 0 });
  }
  return (length, from) => {
    const known = runs.get(length);
    if (!known) return undefined;
    while (known.next < known.starts.length && known.starts[known.next]! < from) known.next++;
    return known.starts[known.next];
  };
}

function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | undefined {
  pattern.lastIndex = index;
  return pattern.exec(text) ?? undefined;
}
