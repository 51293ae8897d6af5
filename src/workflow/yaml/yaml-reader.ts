/** Parses untrusted YAML 1.2 into plain JSON; every error has its position. */
import { type Document, Lexer, LineCounter, parseDocument } from "yaml";
import type { Diagnostic, Locate } from "../diagnostics/diagnostic.ts";
import { YamlConverter, type YamlProblem } from "./yaml-converter.ts";
import { explainYamlError } from "./yaml-errors.ts";
import { locateIn } from "./yaml-positions.ts";

export type YamlReading = {
  /** Plain JSON; undefined if the text is not YAML, null if it is empty. */
  value: unknown;
  diagnostics: Diagnostic[];
  locate: Locate;
};

/** With more tokens, the parser itself would take too long. */
const maxTokens = 200_000;

export function readYaml(text: string): YamlReading {
  const lines = new LineCounter();
  if (hasTooManyTokens(text)) {
    const message = `this file has more than ${maxTokens.toLocaleString("en")} YAML tokens`;
    return { value: undefined, diagnostics: [{ severity: "error", message, path: "" }], locate: () => undefined };
  }
  const document = parseDocument(text, {
    version: "1.2",
    schema: "core",
    merge: false,
    resolveKnownTags: false,
    stringKeys: true,
    // The parser compares every pair of keys; the converter finds duplicates in one pass.
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: lines,
  });
  const converter = new YamlConverter();
  let problems = syntaxProblems(document, lines);
  let value: unknown;
  if (problems.length === 0) {
    value = converter.convert(document.contents);
    problems = converter.problems;
  }
  const diagnostics = problems.map(({ offset, message, hint }): Diagnostic => {
    const { line, col } = lines.linePos(offset);
    return { severity: "error", message, path: "", line, column: col, ...(hint !== undefined && { hint }) };
  });
  return { value, diagnostics, locate: locateIn(document.contents, text, lines, converter.targets) };
}

/** Counts only if the text is long enough to have that many. */
function hasTooManyTokens(text: string): boolean {
  if (text.length < maxTokens / 2) return false;
  let count = 0;
  for (const _ of new Lexer().lex(text)) {
    if (++count > maxTokens) return true;
  }
  return false;
}

/** The first error of each line: later ones on the same line are usually consequences. */
function syntaxProblems({ errors, warnings, directives }: Document.Parsed, lines: LineCounter): YamlProblem[] {
  const { explicit, version } = directives.yaml;
  if (explicit && version !== "1.2") {
    return [{ offset: 0, message: `this is YAML ${version}; a workflow file is YAML 1.2` }];
  }
  const firstOfLine = new Map<number, YamlProblem>();
  for (const error of [...errors, ...warnings].sort((a, b) => a.pos[0] - b.pos[0])) {
    const { line } = lines.linePos(error.pos[0]);
    if (!firstOfLine.has(line)) firstOfLine.set(line, { offset: error.pos[0], ...explainYamlError(error) });
  }
  return [...firstOfLine.values()];
}
