/** Loads a workflow file and its prompt files from disk, ready to be posted; throws the mistakes for its author to fix. */
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { WorkflowDefinition, WorkflowInput } from "../protocol/definition/definition.ts";
import { AppError } from "../protocol/error.ts";
import { promptFileBytes, workflowFileBytes } from "../protocol/limits.ts";
import type { FindFile } from "./check/check-tools.ts";
import { type Diagnostic, formatDiagnostics } from "./diagnostics/diagnostic.ts";
import { type ParseOptions, parseWorkflow } from "./parse.ts";
import type { ReadPrompt } from "./inline-prompts.ts";
import { filesIn, readTextFile, similarFiles } from "../system/text-file.ts";

export type LoadedWorkflow = {
  /** The path as given, for display. */
  file: string;
  /** The absolute path of its folder. */
  dir: string;
  /** The file's content with name and prompts filled in: plain JSON, to be posted. */
  input: WorkflowInput;
  definition: WorkflowDefinition;
  warnings: Diagnostic[];
  source: string;
};

const yaml = /\.ya?ml$/i;

/** Options that are passed to `parseWorkflow`. */
export type LoadOptions = Pick<ParseOptions, "mustWork" | "env">;

export async function loadWorkflow(file: string, options: LoadOptions = {}): Promise<LoadedWorkflow> {
  return readWorkflow(readSource(file), file, options);
}

/** The same for a text that was not read from a file; `file` is its name, and its prompt files are relative to that. */
export function readWorkflow(source: string, file: string, options: LoadOptions = {}): LoadedWorkflow {
  const parsed = parseWorkflow(source, {
    file,
    readPrompt: promptReader(file),
    findFile: fileFinder(file),
    ...options,
  });
  if (!parsed.input || !parsed.definition) {
    throw new AppError("invalid-workflow", formatDiagnostics(parsed.diagnostics, source, file), {
      hint: "nothing was started",
      details: parsed.diagnostics,
    });
  }
  const { input, definition, diagnostics: warnings } = parsed;
  return { file, dir: dirname(resolve(file)), input, definition, warnings, source };
}

function readSource(file: string): string {
  const read = readTextFile(file, workflowFileBytes);
  if ("text" in read) return read.text;
  const fail = (code: "usage" | "invalid-workflow", sentence: string, hint: string) => {
    const details: Diagnostic[] = [{ severity: "error", message: sentence, path: "", file }];
    return new AppError(code, sentence, { hint, details });
  };
  switch (read.problem) {
    case "missing": {
      const [similar] = similarFiles(file, yaml);
      throw fail("usage", read.sentence, similar === undefined ? filesHint(dirname(file)) : `did you mean ${similar}?`);
    }
    case "folder":
      throw fail("invalid-workflow", `${read.sentence}, not a workflow file`, filesHint(file));
    default:
      throw fail("invalid-workflow", read.sentence, "a workflow file is UTF-8 text of at most 1 MiB");
  }
}

function filesHint(folder: string): string {
  const names = filesIn(folder, yaml).slice(0, 5);
  return names.length === 0
    ? "pass the path of a .yaml file"
    : `found ${names.map((name) => join(folder, name)).join(", ")}`;
}

function promptReader(file: string): ReadPrompt {
  return (path) => {
    const location = isAbsolute(path) ? path : join(dirname(file), path);
    const read = readTextFile(location, promptFileBytes);
    if ("text" in read) return { text: read.text, file: location };
    const [similar] = read.problem === "missing" ? similarFiles(location, /\.(?:md|txt)$/i) : [];
    return { problem: `${read.sentence}${similar === undefined ? "" : `: did you mean '${similar}'?`}` };
  };
}

/** Only checks that the file exists: nothing of a workflow runs before its agents do. */
function fileFinder(file: string): FindFile {
  return (path) => {
    const location = isAbsolute(path) ? path : join(dirname(file), path);
    if (existsSync(location)) return undefined;
    const [similar] = similarFiles(location, /./);
    return { problem: `there is no ${path}`, similar };
  };
}
