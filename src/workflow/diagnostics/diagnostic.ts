/** Diagnostics of a workflow file, and how they are shown to people. */

export type Diagnostic = {
  severity: "error" | "warning";
  message: string;
  /** The place in the definition, such as `agents.reviewer.model`; empty for the whole. */
  path: string;
  /** Counted from 1; absent if the definition did not come from a file. */
  line?: number;
  column?: number;
  hint?: string;
  file?: string;
};

export type Path = readonly (string | number)[];

/** A place in a file, counted from 1. `file` is set if it is not the workflow file itself. */
export type Position = { line: number; column: number; file?: string };

/** The part of an entry that a diagnostic is about: its key, or some characters of its text. */
export type Part = "key" | { offset: number; length: number };

/** Finds the position of a part of the definition; undefined if unknown. */
export type Locate = (path: Path, part?: Part) => Position | undefined;

/** A diagnostic without its position. */
export type Finding = {
  severity: Diagnostic["severity"];
  message: string;
  path: Path;
  part?: Part;
  hint?: string;
};

const maxShown = 50;
const maxWidth = 100;

export function toDiagnostic({ severity, message, path, part, hint }: Finding, locate?: Locate): Diagnostic {
  const where = locate?.(path, part);
  return { severity, message, path: formatPath(path), ...where, ...(hint !== undefined && { hint }) };
}

/** `agents.reviewer.model`, `setup[0].shell`, `agents["a b"]`. */
export function formatPath(path: Path): string {
  return path
    .map((segment, index) => {
      if (typeof segment === "number") return `[${segment}]`;
      if (!/^[\w-]+$/.test(segment)) return `[${JSON.stringify(segment)}]`;
      return index === 0 ? segment : `.${segment}`;
    })
    .join("");
}

/** Errors and warnings in the order of the file, each with its line, a caret and a hint. Plain text. */
export function formatDiagnostics(diagnostics: readonly Diagnostic[], source?: string, file?: string): string {
  const lines = source?.split(/\r\n|\n|\r/);
  const shown = diagnostics.slice(0, maxShown).map((diagnostic) => {
    const here = diagnostic.file === undefined || diagnostic.file === file;
    return formatDiagnostic(diagnostic, here ? lines : undefined, file);
  });
  if (diagnostics.length > maxShown) shown.push(`… and ${diagnostics.length - maxShown} more`);
  return shown.join("\n");
}

function formatDiagnostic(diagnostic: Diagnostic, lines: string[] | undefined, mainFile: string | undefined): string {
  const { severity, message, path, line, column = 1, hint, file = mainFile } = diagnostic;
  const place = line === undefined ? path : `${line}:${column}`;
  const heading = [file, place].filter((part) => part !== undefined && part !== "").join(":");
  const text = [`${heading === "" ? "" : `${heading}: `}${severity}: ${printable(message)}`];
  const sourceLine = line === undefined ? undefined : lines?.[line - 1];
  if (sourceLine !== undefined && sourceLine.trim() !== "") text.push(excerpt(sourceLine, line!, column));
  if (hint !== undefined) text.push(`  hint: ${printable(hint)}`);
  return text.join("\n");
}

/** The line with a caret below its column; only the surroundings of the column if the line is long. */
function excerpt(sourceLine: string, line: number, column: number): string {
  const at = Math.min(column - 1, sourceLine.length);
  const start = sourceLine.length <= maxWidth ? 0 : Math.max(0, at - maxWidth / 2);
  const end = Math.min(sourceLine.length, start + maxWidth);
  const before = `${start > 0 ? "…" : ""}${printable(sourceLine.slice(start, at))}`;
  const after = `${printable(sourceLine.slice(at, end))}${end < sourceLine.length ? "…" : ""}`;
  const gutter = String(line);
  const indent = " ".repeat(Bun.stringWidth(before));
  return `  ${gutter} | ${before}${after}\n  ${" ".repeat(gutter.length)} | ${indent}^`;
}

/** What could control a terminal: control characters except line ends, and changes of text direction. */
// oxlint-disable-next-line no-control-regex -- these are the characters to find
const controlling = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Tabs become spaces, so that the caret is at the right column. */
function printable(text: string): string {
  return text.replaceAll("\t", "  ").replace(controlling, "�");
}
