/**
 * Checks what the schema cannot see: names, backends, variables, mentions. It trusts no shape, so that it works beside
 * the schema's errors on a broken file, and alone on a definition that a client sent.
 */
import type { WorkflowDefinition, WorkflowInput } from "../protocol/definition.ts";
import { nameProblem } from "../protocol/target.ts";
import { checkAgent } from "./check-agent.ts";
import { checkKickoff } from "./check-kickoff.ts";
import { checkSchedules } from "./check-schedule.ts";
import { checkShell, checkTemplate, type KnownNames } from "./check-template.ts";
import { type Diagnostic, type Finding, type Locate, toDiagnostic } from "./diagnostic.ts";
import { builtInNames } from "./interpolate.ts";
import { entriesOf, fieldOf, visitTexts } from "./json.ts";

export type CheckOptions = {
  /** Finds positions; without it diagnostics have only their path. */
  locate?: Locate;
  /** For a `run`: a kickoff that wakes nobody is an error, not a warning. */
  mustWork?: boolean;
  /** Steps have errors of their own, which may be why a captured name is unknown. */
  unsureCaptures?: boolean;
};

/** What `as` may not be called: names that every scope has, now or in a later version. */
const reservedCaptures = ["env", "params", "workflow", "instance", "context", "source", "__proto__"];
const mostFindings = 200;

/** Everything that is wrong with a workflow besides its shape. */
export function checkWorkflow(workflow: WorkflowInput | WorkflowDefinition, options: CheckOptions = {}): Diagnostic[] {
  return findProblems(workflow, options).map((finding) => toDiagnostic(finding, options.locate));
}

/** Why a `run` of this workflow would do nothing; a `start` waits for messages and needs no kickoff. */
export function kickoffProblem(workflow: WorkflowInput | WorkflowDefinition, locate?: Locate): Diagnostic | undefined {
  const finding = checkKickoff(workflow, true).find(({ severity }) => severity === "error");
  return finding && toDiagnostic(finding, locate);
}

/** All findings of a workflow whose shape may be wrong as well. Stops looking when there is more than anybody reads. */
export function findProblems(workflow: unknown, options: CheckOptions): Finding[] {
  return lookForProblems(workflow, options).take(mostFindings).toArray();
}

function* lookForProblems(
  workflow: unknown,
  { mustWork = false, unsureCaptures: unsure = false }: CheckOptions,
): Generator<Finding, void> {
  const steps = fieldOf(workflow, "setup");
  const captured = new Set(captures(steps));
  const everything: KnownNames = { names: captured.union(new Set(builtInNames)), environment: true, unsure };
  yield* checkCharacters(workflow);
  yield* checkName(fieldOf(workflow, "name"));
  yield* checkAgentNames(fieldOf(workflow, "agents"));
  for (const [name, agent] of entriesOf(fieldOf(workflow, "agents"))) yield* checkAgent(name, agent, everything);
  yield* checkSetup(steps, captured, unsure);
  const kickoff = fieldOf(workflow, "kickoff");
  if (typeof kickoff === "string") yield* checkTemplate(kickoff, ["kickoff"], everything);
  yield* checkKickoff(workflow, mustWork);
  yield* checkSchedules(workflow);
}

/** A NUL or half a character cannot be stored, sent or given to a program unchanged. */
function checkCharacters(workflow: unknown): Finding[] {
  const findings: Finding[] = [];
  const isShallow = visitTexts(workflow, [], (text, path) => {
    if (text.includes("\0")) findings.push({ severity: "error", message: "this text holds a NUL character", path });
    else if (!text.isWellFormed()) {
      findings.push({ severity: "error", message: "this text holds half a character (a lone surrogate)", path });
    }
  });
  if (!isShallow) findings.push({ severity: "error", message: "this is nested too deeply", path: [] });
  return findings;
}

function checkName(name: unknown): Finding[] {
  const problem = typeof name === "string" ? nameProblem(name, "workflow") : undefined;
  return problem === undefined ? [] : [{ severity: "error", message: problem, path: ["name"] }];
}

function checkAgentNames(agents: unknown): Finding[] {
  const seen = new Map<string, string>();
  return entriesOf(agents).flatMap(([name]): Finding[] => {
    const first = seen.get(name.toLowerCase());
    seen.set(name.toLowerCase(), first ?? name);
    if (first === undefined) return [];
    const message = `there is already an agent '${first}'; names compare without case`;
    return [{ severity: "error", message, path: ["agents", name], part: "key" }];
  });
}

/** A step knows what the steps before it captured; what itself and those after it capture comes later. */
function* checkSetup(steps: unknown, captured: ReadonlySet<string>, unsure: boolean): Generator<Finding, void> {
  if (!Array.isArray(steps)) return;
  const names = new Set(builtInNames);
  const known: KnownNames = { names, environment: true, later: captured, unsure };
  for (const [index, step] of steps.entries()) {
    const path = ["setup", index];
    const shell = fieldOf(step, "shell");
    if (typeof shell === "string") yield* checkShell(shell, [...path, "shell"], known);
    const cwd = fieldOf(step, "cwd");
    if (typeof cwd === "string") yield* checkTemplate(cwd, [...path, "cwd"], known);
    for (const [name, text] of entriesOf(fieldOf(step, "env"))) {
      if (typeof text === "string") yield* checkTemplate(text, [...path, "env", name], known);
    }
    const name = fieldOf(step, "as");
    if (typeof name !== "string") continue;
    const at = { severity: "error", path: [...path, "as"] } as const;
    if (reservedCaptures.includes(name))
      yield { ...at, message: `'${name}' is a name that every workflow has already` };
    else if (names.has(name)) yield { ...at, message: `an earlier step captures '${name}' already` };
    names.add(name);
  }
}

function captures(steps: unknown): string[] {
  if (!Array.isArray(steps)) return [];
  return steps.map((step) => fieldOf(step, "as")).filter((name) => typeof name === "string");
}
