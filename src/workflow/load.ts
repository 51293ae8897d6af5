/** Loads a workflow file and the prompts it names from disk, ready to be posted; throws what its author has to mend. */
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { WorkflowDefinition, WorkflowInput } from "../protocol/definition/definition.ts";
import { AppError } from "../protocol/error.ts";
import { promptFileBytes, workflowFileBytes } from "../protocol/limits.ts";
import type { FindFile } from "./check/check-tools.ts";
import { type Diagnostic, formatDiagnostics } from "./diagnostics/diagnostic.ts";
import { type ParseOptions, parseWorkflow } from "./parse.ts";
import type { ReadPrompt } from "./prompts.ts";
import { filesIn, readTextFile, similarFiles } from "../system/text-file.ts";

export type LoadedWorkflow = {
  /** As it was given; for showing. */
  file: string;
  /** Its folder's whole path. */
  dir: string;
  /** What the file says, with name and prompts filled in: plain JSON, to be posted. */
  input: WorkflowInput;
  definition: WorkflowDefinition;
  warnings: Diagnostic[];
  source: string;
};

const yaml = /\.ya?ml$/i;

/** What `parseWorkflow` takes besides the text. */
export type LoadOptions = Pick<ParseOptions, "mustWork" | "env">;

export async function loadWorkflow(file: string, options: LoadOptions = {}): Promise<LoadedWorkflow> {
  return readWorkflow(readSource(file), file, options);
}

/** The same of a text that was not read from a file; `file` is what it is called, and its prompts are beside that. */
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
    ? "give the path of a .yaml file"
    : `there is ${names.map((name) => join(folder, name)).join(", ")}`;
}

function promptReader(file: string): ReadPrompt {
  return (path) => {
    const place = isAbsolute(path) ? path : join(dirname(file), path);
    const read = readTextFile(place, promptFileBytes);
    if ("text" in read) return { text: read.text, file: place };
    const [similar] = read.problem === "missing" ? similarFiles(place, /\.(?:md|txt)$/i) : [];
    return { problem: `${read.sentence}${similar === undefined ? "" : `: did you mean '${similar}'?`}` };
  };
}

/** Looks only whether it is there: nothing of a workflow runs before its agents do. */
function fileFinder(file: string): FindFile {
  return (path) => {
    const place = isAbsolute(path) ? path : join(dirname(file), path);
    if (existsSync(place)) return undefined;
    const [similar] = similarFiles(place, /./);
    return { problem: `there is no ${path}`, similar };
  };
}
