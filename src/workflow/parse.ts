/** Parses the text of a workflow file into a definition, or into diagnostics of all mistakes, in the order of the file. */
import type { WorkflowDefinition, WorkflowInput } from "../protocol/definition/definition.ts";
import { nameProblem } from "../protocol/target.ts";
import { findProblems } from "./check/check.ts";
import type { FindFile } from "./check/check-tools.ts";
import { type Diagnostic, type Finding, toDiagnostic } from "./diagnostics/diagnostic.ts";
import { isRecord, type JsonRecord } from "../text/json.ts";
import { inlinePrompts, type ReadPrompt } from "./inline-prompts.ts";
import { parseDefinition } from "./diagnostics/schema-issues.ts";
import { nearest } from "../text/suggest.ts";
import { unsetVariables } from "./check/unset-variables.ts";
import { readYaml } from "./yaml/yaml-reader.ts";

export type ParseOptions = {
  /** The path as the user gave it, for display and as the default name of the workflow. */
  file: string;
  /** Reads a prompt file; without it, a prompt that is a path is not replaced. */
  readPrompt?: ReadPrompt;
  /** Looks for other files that it refers to; without it they are assumed to exist. */
  findFile?: FindFile;
  /** For a `run`: a kickoff that wakes no agent is an error, not a warning. */
  mustWork?: boolean;
  /** The environment it will run in: using a variable that is not set there is a warning. */
  env?: Record<string, string | undefined>;
};

export type ParsedWorkflow = {
  /** The file's content as plain JSON, with name and prompts filled in. Absent if there are errors. */
  input?: WorkflowInput;
  definition?: WorkflowDefinition;
  diagnostics: Diagnostic[];
};

const maxDiagnostics = 200;

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
    .slice(0, maxDiagnostics);
}

function notAMap(value: unknown): Finding {
  const message =
    value === null || value === undefined ? "there is nothing in this file" : "this is not a map of keys and values";
  return { severity: "error", message, path: [], hint: "a workflow needs agents: with at least one agent" };
}

/** The default name is the name of the file, without folder and extension. */
function withName(workflow: JsonRecord, file: string): { workflow: JsonRecord; findings: Finding[] } {
  if (Object.hasOwn(workflow, "name")) return { workflow, findings: [] };
  const name = file.slice(file.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "");
  const problem = nameProblem(name, "workflow");
  if (problem === undefined) return { workflow: { name, ...workflow }, findings: [] };
  const message = `the name of the file cannot be the workflow's name: ${problem}`;
  const findings: Finding[] = [{ severity: "error", message, path: ["name"], hint: "add a line such as name: review" }];
  return { workflow: { name: "unnamed", ...workflow }, findings };
}

/** A mistake in a step or param, or in one of these keys itself, can explain an unknown name. */
function concernsSteps({ path }: Finding): boolean {
  const keys = ["setup", "tasks", "params"];
  return keys.includes(String(path[0])) || (path.length === 1 && nearest(String(path[0]), keys).length > 0);
}
