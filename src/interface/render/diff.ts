/** Compares two texts line by line, in the unified diff format. */
import { FILE_HEADERS_ONLY, createTwoFilesPatch, formatPatch } from "diff";

/** Unchanged lines shown around a change. */
const contextLines = 3;
/** Texts with more changed lines than this are shown as replaced: finding the shortest diff would take too long. */
const maxChanges = 1_000;

/** The diff from one text to the other; empty when they are equal. */
export function unifiedDiff(before: string, after: string, [from, to]: [before: string, after: string]): string {
  if (before === after) return "";
  const options = { context: contextLines, maxEditLength: maxChanges, headerOptions: FILE_HEADERS_ONLY };
  return (
    createTwoFilesPatch(from, to, before, after, undefined, undefined, options) ?? replaced(before, after, from, to)
  );
}

function replaced(before: string, after: string, from: string, to: string): string {
  const [removed, added] = [marked("-", before), marked("+", after)];
  const hunk = {
    oldStart: 1,
    oldLines: linesOf(before).length,
    newStart: 1,
    newLines: linesOf(after).length,
    lines: [...removed, ...added],
  };
  const patch = { oldFileName: from, newFileName: to, oldHeader: undefined, newHeader: undefined, hunks: [hunk] };
  return formatPatch(patch, FILE_HEADERS_ONLY);
}

function marked(mark: "-" | "+", text: string): string[] {
  const lines = linesOf(text).map((line) => mark + line);
  return text.endsWith("\n") || text === "" ? lines : [...lines, "\\ No newline at end of file"];
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
