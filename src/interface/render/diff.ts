/** Two texts compared line by line, shown in the unified form. */

export type DiffLine = { mark: " " | "-" | "+"; text: string };

/** Lines around a change that are shown with it. */
const contextLines = 3;
/** Texts that differ in more lines than this are shown as replaced: finding the shortest way would take too long. */
const mostChanges = 1_000;

/** The change from one text to the other; empty when there is none. */
export function unifiedDiff(before: string, after: string, names: [before: string, after: string]): string {
  const hunks = toHunks(diffLines(before, after)).map(renderHunk);
  return hunks.length === 0 ? "" : `--- ${names[0]}\n+++ ${names[1]}\n${hunks.join("")}`;
}

/** All lines of both, each once: kept, taken away or added. Lines hold their own end. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < a.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  return [
    ...a.slice(0, head).map(kept),
    ...compare(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(kept),
  ];
}

/** The shortest way from `a` to `b`, after Myers: the furthest that so many changes lead, on each diagonal. */
function compare(a: string[], b: string[]): DiffLine[] {
  const replaced = [...a.map(removed), ...b.map(added)];
  const furthest = new Map([[1, 0]]);
  const steps: Map<number, number>[] = [];
  const most = Math.min(a.length + b.length, mostChanges);
  for (let changes = 0; changes <= most; changes++) {
    steps.push(new Map(furthest));
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      let x = isDown(furthest, diagonal, changes) ? at(furthest, diagonal + 1) : at(furthest, diagonal - 1) + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      furthest.set(diagonal, x);
      if (x >= a.length && x - diagonal >= b.length) return walkBack(a, b, steps);
    }
  }
  return replaced;
}

function walkBack(a: string[], b: string[], steps: Map<number, number>[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let [x, y] = [a.length, b.length];
  for (const [changes, furthest] of [...steps.entries()].toReversed()) {
    const diagonal = x - y;
    const before = isDown(furthest, diagonal, changes) ? diagonal + 1 : diagonal - 1;
    const [fromX, fromY] = [at(furthest, before), at(furthest, before) - before];
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      lines.push(kept(a[x - 1] ?? ""));
      x--;
      y--;
    }
    if (changes === 0) break;
    lines.push(x === fromX ? added(b[y - 1] ?? "") : removed(a[x - 1] ?? ""));
    [x, y] = [fromX, fromY];
  }
  return lines.toReversed();
}

function isDown(furthest: Map<number, number>, diagonal: number, changes: number): boolean {
  return diagonal === -changes || (diagonal !== changes && at(furthest, diagonal - 1) < at(furthest, diagonal + 1));
}

function at(furthest: Map<number, number>, diagonal: number): number {
  return furthest.get(diagonal) ?? -1;
}

type Hunk = { before: number; after: number; lines: DiffLine[] };

/** Changes with what surrounds them; those that are near each other are shown together. */
function toHunks(lines: DiffLine[]): Hunk[] {
  const hunks: Hunk[] = [];
  const changed = lines.flatMap(({ mark }, index) => (mark === " " ? [] : [index]));
  let end = 0;
  let [before, after, counted] = [1, 1, 0];
  for (const index of changed) {
    const start = Math.max(end, index - contextLines);
    const last = hunks.at(-1);
    const until = Math.min(lines.length, index + 1 + contextLines);
    if (last && start <= end) last.lines.push(...lines.slice(end, until));
    else {
      for (; counted < start; counted++) {
        if (lines[counted]?.mark !== "+") before++;
        if (lines[counted]?.mark !== "-") after++;
      }
      hunks.push({ before, after, lines: lines.slice(start, until) });
    }
    end = Math.max(end, until);
  }
  return hunks;
}

function renderHunk({ before, after, lines }: Hunk): string {
  const size = (mark: "-" | "+") => lines.filter((line) => line.mark === mark || line.mark === " ").length;
  const head = `@@ -${range(before, size("-"))} +${range(after, size("+"))} @@\n`;
  return head + lines.map(renderLine).join("");
}

/** Of nothing, it is the line before that is named. */
function range(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}

function renderLine({ mark, text }: DiffLine): string {
  return text.endsWith("\n") ? mark + text : `${mark}${text}\n\\ No newline at end of file\n`;
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

function kept(text: string): DiffLine {
  return { mark: " ", text };
}

function removed(text: string): DiffLine {
  return { mark: "-", text };
}

function added(text: string): DiffLine {
  return { mark: "+", text };
}
