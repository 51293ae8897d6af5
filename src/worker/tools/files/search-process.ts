/** The process behind `search_code`: takes a request as its argument and writes matches to stdout as it finds them. */
import { reasonOf } from "../../../protocol/error.ts";
import { KiB, MiB } from "../../../protocol/limits.ts";
import { globFilter, startOf } from "./list-files.ts";
import { walkFiles } from "./walk.ts";
import { NotRegularFile, openInside } from "./confine.ts";

export type SearchRequest = {
  cwd: string;
  pattern: string;
  path: string;
  glob?: string | undefined;
  ignore_case: boolean;
  context: number;
  limit: number;
  ignored: boolean;
};

const fileBytes = 4 * MiB;
const lineChars = 300;
const textChars = 64 * KiB;

/** Takes a request that `search_code` has validated. */
export async function runSearch(text: string | undefined): Promise<never> {
  try {
    const request: SearchRequest = JSON.parse(text ?? "");
    await search(request);
    return process.exit(0);
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`);
    return process.exit(1);
  }
}

async function search(request: SearchRequest): Promise<void> {
  const { cwd, pattern, path, ignore_case, context, limit } = request;
  const expression = new RegExp(pattern, ignore_case ? "i" : "");
  let matches = 0;
  let chars = 0;
  const remarks = new Set<string>();

  for await (const file of filesOf(request, () => remarks.add("too many files: narrow the search with path or glob"))) {
    const lines = await readLines(cwd, file, file === path);
    if (lines === null) continue;
    const found = findMatches(lines, expression, limit - matches);
    if (found.length === 0) continue;
    matches += found.length;
    const shown = render(file, lines, found, context);
    chars += shown.length;
    await Bun.write(Bun.stdout, shown.slice(0, Math.max(0, textChars - (chars - shown.length))));
    if (matches >= limit || chars > textChars) {
      remarks.add("there may be more: narrow the search with path or glob, or raise limit");
      break;
    }
  }
  for (const remark of remarks) await Bun.write(Bun.stdout, `[… ${remark} …]\n`);
}

/** Yields a named file itself; for a folder, every file that matches. */
async function* filesOf(request: SearchRequest, onCut: () => void): AsyncGenerator<string> {
  const { cwd, path, glob, ignored } = request;
  const start = startOf(cwd, path);
  if (start !== "" && (await isFile(cwd, path))) return yield path;
  const matchesGlob = globFilter(glob);
  const { signal } = new AbortController();
  for await (const file of walkFiles(cwd, start, { ignored, signal, onCut })) {
    if (matchesGlob(start === "" ? file : file.slice(start.length + 1))) yield file;
  }
}

async function isFile(cwd: string, path: string): Promise<boolean> {
  try {
    await (await openInside(cwd, path)).close();
    return true;
  } catch (error) {
    if (error instanceof NotRegularFile) return false;
    throw error;
  }
}

/** Null for a file that is not text or too large, and for one that has disappeared, unless it was named. */
async function readLines(cwd: string, path: string, wasNamed: boolean): Promise<string[] | null> {
  try {
    const file = await openInside(cwd, path);
    try {
      const { size } = await file.stat();
      if (size > fileBytes) return null;
      const content = await file.readFile();
      return content.includes(0) ? null : content.toString("utf8").split(/\r?\n/);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (wasNamed) throw error;
    return null;
  }
}

function findMatches(lines: string[], expression: RegExp, max: number): number[] {
  const found: number[] = [];
  for (const [index, line] of lines.entries()) {
    if (expression.test(line) && found.push(index) >= max) break;
  }
  return found;
}

/** In the format of grep: `:` for matches, `-` for the lines around them, `--` between groups. */
function render(file: string, lines: string[], found: number[], context: number): string {
  const isMatch = new Set(found);
  let text = "";
  let last = -1;
  for (const match of found) {
    const from = Math.max(last + 1, match - context);
    if (context > 0 && last >= 0 && from > last + 1) text += "--\n";
    for (let index = from; index <= Math.min(match + context, lines.length - 1); index++) {
      const mark = isMatch.has(index) ? ":" : "-";
      const line = lines[index] ?? "";
      text += `${file}${mark}${index + 1}${mark}${line.length > lineChars ? `${line.slice(0, lineChars)}…` : line}\n`;
      last = index;
    }
  }
  return text;
}
