/**
 * Checks what the schema cannot express: names, backends, variables, mentions. It does not assume a valid shape, so that
 * it works on a file with schema errors, and on its own on a definition from a client.
 */
import type { WorkflowDefinition, WorkflowInput } from "../../protocol/definition/definition.ts";
import { nameProblem } from "../../protocol/target.ts";
import { checkAgent } from "./check-agent.ts";
import { checkContext } from "./check-context.ts";
import { checkKickoff } from "./check-kickoff.ts";
import { checkParams, paramNames } from "./check-params.ts";
import { checkSchedules } from "./check-schedule.ts";
import { checkSecrets } from "./check-secrets.ts";
import { baseNames, capturesOf, checkSteps } from "./check-steps.ts";
import { checkTemplate, type KnownNames } from "./check-template.ts";
import type { FindFile } from "./check-tools.ts";
import { type Diagnostic, type Finding, type Locate, toDiagnostic } from "../diagnostics/diagnostic.ts";
import { isPlainName } from "../expression/expression.ts";
import { findExpressions } from "../expression/interpolate.ts";
import { visitTexts } from "../json.ts";
import { entriesOf, fieldOf } from "../../text/json.ts";

export type CheckOptions = {
  /** Finds positions; without it diagnostics have only their path. */
  locate?: Locate;
  /** For a `run`: a kickoff that wakes no agent is an error, not a warning. */
  mustWork?: boolean;
  /** Steps have errors, which can explain an unknown captured name. */
  unsureCaptures?: boolean;
  /** Looks for files that the workflow refers to; without it they are assumed to exist. */
  findFile?: FindFile;
};

const maxFindings = 200;
/** Each is parsed and type-checked, which must not block the process for long. */
const maxExpressions = 1_000;

/** Everything that is wrong with a workflow apart from its shape. */
export function checkWorkflow(workflow: WorkflowInput | WorkflowDefinition, options: CheckOptions = {}): Diagnostic[] {
  return findProblems(workflow, options).map((finding) => toDiagnostic(finding, options.locate));
}

/** Why a `run` of this workflow would do nothing; a `start` waits for messages and needs no kickoff. */
export function kickoffProblem(workflow: WorkflowInput | WorkflowDefinition, locate?: Locate): Diagnostic | undefined {
  const finding = checkKickoff(workflow, true).find(({ severity }) => severity === "error");
  return finding && toDiagnostic(finding, locate);
}

/** All findings of a workflow, whose shape can be invalid too. Stops when there are more than anyone would read. */
export function findProblems(workflow: unknown, options: CheckOptions): Finding[] {
  return lookForProblems(workflow, options).take(maxFindings).toArray();
}

function* lookForProblems(
  workflow: unknown,
  { mustWork = false, unsureCaptures: unsure = false, findFile }: CheckOptions,
): Generator<Finding, void> {
  const params = paramNames(fieldOf(workflow, "params"));
  const [setup, tasks] = [fieldOf(workflow, "setup"), fieldOf(workflow, "tasks")];
  const base = { types: params, environment: true, unsure };
  const prepared = new Set([...capturesOf([setup]), ...baseNames(params)]);
  // An agent can be woken before any task has ended.
  const forAgents: KnownNames = { ...base, names: prepared, later: new Set(capturesOf([tasks])) };
  const everything: KnownNames = { ...base, names: new Set([...capturesOf([setup, tasks]), ...baseNames(params)]) };
  yield* checkCharacters(workflow);
  const beyond = findTooMany(workflow);
  if (beyond) return yield beyond;
  yield* checkName(fieldOf(workflow, "name"));
  yield* checkAgentNames(fieldOf(workflow, "agents"));
  for (const [name, agent] of entriesOf(fieldOf(workflow, "agents")))
    yield* checkAgent(name, agent, forAgents, findFile);
  yield* checkSecrets(workflow);
  yield* checkContext(workflow);
  yield* checkParams(fieldOf(workflow, "params"));
  yield* checkSteps(workflow, { agents: entriesOf(fieldOf(workflow, "agents")).map(([name]) => name), params, unsure });
  const kickoff = fieldOf(workflow, "kickoff");
  if (typeof kickoff === "string") yield* checkTemplate(kickoff, ["kickoff"], everything);
  yield* checkKickoff(workflow, mustWork);
  yield* checkSchedules(workflow, everything);
}

/** A NUL character or a lone surrogate cannot be stored, sent or passed to a program unchanged. */
function checkCharacters(workflow: unknown): Finding[] {
  const findings: Finding[] = [];
  const isShallow = visitTexts(workflow, [], (text, path) => {
    if (text.includes("\0")) findings.push({ severity: "error", message: "this text contains a NUL character", path });
    else if (!text.isWellFormed()) {
      findings.push({ severity: "error", message: "this text contains a lone surrogate (half a character)", path });
    }
  });
  if (!isShallow) findings.push({ severity: "error", message: "this is nested too deeply", path: [] });
  return findings;
}

/** Plain names are cheap and not counted. */
function findTooMany(workflow: unknown): Finding | undefined {
  let count = 0;
  let beyond: Finding | undefined;
  visitTexts(workflow, [], (text, path) => {
    if (!text.includes("${{") || beyond) return;
    count += findExpressions(text).filter(({ source }) => source !== "" && !isPlainName(source)).length;
    const message = `a workflow can have at most ${maxExpressions.toLocaleString("en")} expressions, not counting plain names`;
    if (count > maxExpressions) beyond = { severity: "error", message, path };
  });
  return beyond;
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
    const message = `there is already an agent named '${first}'; names are case-insensitive`;
    return [{ severity: "error", message, path: ["agents", name], part: "key" }];
  });
}
