/** Workflow text in, definition or diagnostics out: every mistake at once, in the order of the file. */
import type { WorkflowDefinition, WorkflowInput } from "../protocol/definition/definition.ts";
import { nameProblem } from "../protocol/target.ts";
import { findProblems } from "./check/check.ts";
import type { FindFile } from "./check/check-tools.ts";
import { type Diagnostic, type Finding, toDiagnostic } from "./diagnostics/diagnostic.ts";
import { isRecord, type JsonRecord } from "../text/json.ts";
import { inlinePrompts, type ReadPrompt } from "./prompts.ts";
import { parseDefinition } from "./diagnostics/schema-issues.ts";
import { nearest } from "../text/suggest.ts";
import { unsetVariables } from "./check/unset.ts";
import { readYaml } from "./yaml/yaml-reader.ts";

export type ParseOptions = {
  /** As the user gave it: it is shown, and it names the workflow unless the text does. */
  file: string;
  /** Reads a prompt file; without it, a prompt that is a path stays one. */
  readPrompt?: ReadPrompt;
  /** Looks for other files that it names; without it they are taken to be there. */
  findFile?: FindFile;
  /** For a `run`: a kickoff that wakes nobody is an error and not a warning. */
  mustWork?: boolean;
  /** The environment it will run in: what it names and this lacks is a warning. */
  env?: Record<string, string | undefined>;
};

export type ParsedWorkflow = {
  /** What the file says, as plain JSON with name and prompts filled in. Absent when there are errors. */
  input?: WorkflowInput;
  definition?: WorkflowDefinition;
  diagnostics: Diagnostic[];
};

const mostDiagnostics = 200;

export function parseWorkflow(
  text: string,
  { file, readPrompt, findFile, mustWork = false, env }: ParseOptions,
): ParsedWorkflow {
  const { value, diagnostics: yamlDiagnostics, locate } = readYaml(text);
  if (!isRecord(value)) {
    const diagnostics = yamlDiagnostics.length > 0 ? yamlDiagnostics : [toDiagnostic(notAMap(value), locate)];
    return { diagnostics: arrange(diagnostics, file) };
  }
  const named = withName(value, file);
  const prompted = readPrompt
    ? inlinePrompts(named.workflow, locate, readPrompt)
    : { workflow: named.workflow, findings: [], locate };
  const { definition, findings } = parseDefinition(prompted.workflow);
  const unsureCaptures = yamlDiagnostics.length > 0 || findings.some(concernsSteps);
  const problems = findProblems(prompted.workflow, { mustWork, unsureCaptures, findFile });
  const unset = env ? unsetVariables(prompted.workflow, env) : [];
  const all = [...named.findings, ...prompted.findings, ...findings, ...problems, ...unset];
  const diagnostics = [...yamlDiagnostics, ...all.map((finding) => toDiagnostic(finding, prompted.locate))];
  const arranged = arrange(diagnostics, file);
  if (definition === undefined || diagnostics.some(({ severity }) => severity === "error")) {
    return { diagnostics: arranged };
  }
  // The schema has accepted exactly this value.
  return { input: prompted.workflow as WorkflowInput, definition, diagnostics: arranged };
}

function arrange(diagnostics: Diagnostic[], file: string): Diagnostic[] {
  return diagnostics
    .map((diagnostic) => ({ ...diagnostic, file: diagnostic.file ?? file }))
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
    .slice(0, mostDiagnostics);
}

function notAMap(value: unknown): Finding {
  const message =
    value === null || value === undefined ? "there is nothing in this file" : "this is not a map of keys and values";
  return { severity: "error", message, path: [], hint: "a workflow has at least agents:, and one agent in it" };
}

/** A name that is not in the file is the file's own, without folder and extension. */
function withName(workflow: JsonRecord, file: string): { workflow: JsonRecord; findings: Finding[] } {
  if (Object.hasOwn(workflow, "name")) return { workflow, findings: [] };
  const name = file.slice(file.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "");
  const problem = nameProblem(name, "workflow");
  if (problem === undefined) return { workflow: { name, ...workflow }, findings: [] };
  const message = `the workflow is called like its file, and ${problem}`;
  const findings: Finding[] = [{ severity: "error", message, path: ["name"], hint: "add a line such as name: review" }];
  return { workflow: { name: "unnamed", ...workflow }, findings };
}

/** A mistake in a step or param, or in one of these keys itself, may be why a name is unknown. */
function concernsSteps({ path }: Finding): boolean {
  const keys = ["setup", "tasks", "params"];
  return keys.includes(String(path[0])) || (path.length === 1 && nearest(String(path[0]), keys).length > 0);
}
