/** Checks one agent: its name, its backend, its templates and the script of a mock. */
import { agentKeys, refKeys } from "../../protocol/definition/agent-definition.ts";
import { type BackendName, backendNames } from "../../protocol/backend/backend-name.ts";
import { bypassIn, bypassProblem } from "../../protocol/backend/bypass.ts";
import { programPrefix } from "../../protocol/backend/programs.ts";
import { nameProblem } from "../../protocol/target.ts";
import { checkApproval } from "./check-approval.ts";
import { checkModel } from "./check-model.ts";
import { checkTools, type FindFile } from "./check-tools.ts";
import { checkTemplate, type KnownNames } from "./check-template.ts";
import type { Finding, Path } from "../diagnostics/diagnostic.ts";
import { visitTexts } from "../json.ts";
import { entriesOf, fieldOf, isRecord } from "../../text/json.ts";

/** The names available in a mock's texts; the mock fills them in, turn by turn. */
const scriptNames: KnownNames = { names: new Set(["inbox", "result"]), environment: false, onlyNames: true };

export function checkAgent(name: string, agent: unknown, known: KnownNames, findFile?: FindFile): Finding[] {
  const path = ["agents", name];
  const problem = nameProblem(name, "agent");
  const named: Finding[] = problem === undefined ? [] : [{ severity: "error", message: problem, path, part: "key" }];
  if (!isRecord(agent)) return named;
  if ("ref" in agent) return [...named, ...checkBorrowed(agent, path, known)];
  return [
    ...named,
    ...checkOwnPrompt(agent, path),
    ...checkBackend(name, agent, path),
    ...checkTexts(agent, path, known),
    ...checkTools(agent, path, findFile),
    ...checkScript(fieldOf(agent, "script"), [...path, "script"]),
    ...checkApproval(agent, path),
  ];
}

/** Whether the standalone agent exists is known only when the workflow starts. */
function checkBorrowed(agent: object, path: Path, known: KnownNames): Finding[] {
  const ref = fieldOf(agent, "ref");
  const problem = typeof ref === "string" && ref !== "" ? nameProblem(ref, "agent") : undefined;
  const findings: Finding[] =
    problem === undefined ? [] : [{ severity: "error", message: problem, path: [...path, "ref"] }];
  for (const [key] of entriesOf(agent)) {
    if (refKeys.includes(key) || !agentKeys.includes(key)) continue;
    const message = `'${key}' belongs to the borrowed agent and cannot be changed here`;
    const hint = `along with ref you can set ${refKeys.slice(1).join(", ")}`;
    findings.push({ severity: "error", message, path: [...path, key], part: "key", hint });
  }
  const append = fieldOf(fieldOf(agent, "prompt"), "append");
  if (typeof append === "string") findings.push(...checkTemplate(append, [...path, "prompt", "append"], known));
  return findings;
}

function checkBackend(name: string, agent: unknown, path: Path): Finding[] {
  const given = fieldOf(agent, "backend");
  const model = fieldOf(agent, "model");
  const prefix = typeof model === "string" ? programPrefix(model) : undefined;
  const backend = backendNames.find((known) => known === (given ?? prefix ?? "sdk"));
  // The schema reports an unknown backend; nothing else can be checked about it.
  if (backend === undefined) return [];
  if (backend !== "mock" && fieldOf(agent, "script") !== undefined) {
    const hint = "add backend: mock, or remove the script";
    return [
      {
        severity: "error",
        message: "only the backend mock has a script",
        path: [...path, "script"],
        part: "key",
        hint,
      },
    ];
  }
  return [...checkModel(name, agent, { backend, prefix, path }), ...checkBypass(agent, backend, path)];
}

/** An approval policy that the program's own flags bypass is worse than none. */
function checkBypass(agent: unknown, backend: BackendName, path: Path): Finding[] {
  const command = fieldOf(agent, "command");
  if (fieldOf(agent, "approval") === undefined || !Array.isArray(command)) return [];
  const flag = bypassIn(backend, command.map(String));
  if (flag === undefined) return [];
  return [{ severity: "error", message: bypassProblem(flag, "`approval`"), path: [...path, "command"], part: "key" }];
}

function checkOwnPrompt(agent: object, path: Path): Finding[] {
  if (!("prompt" in agent)) return [];
  const hint = "write system_prompt, or borrow a standalone agent with ref";
  return [
    { severity: "error", message: "only a borrowed agent has a prompt", path: [...path, "prompt"], part: "key", hint },
  ];
}

function checkTexts(agent: unknown, path: Path, known: KnownNames): Finding[] {
  const findings: Finding[] = [];
  for (const key of ["system_prompt", "cwd"]) {
    const text = fieldOf(agent, key);
    if (typeof text === "string") findings.push(...checkTemplate(text, [...path, key], known));
  }
  for (const [name, text] of entriesOf(fieldOf(agent, "env"))) {
    if (typeof text === "string") findings.push(...checkTemplate(text, [...path, "env", name], known));
  }
  for (const key of ["description", "model"]) {
    const text = fieldOf(agent, key);
    if (typeof text !== "string" || !text.includes("${{")) continue;
    findings.push({ severity: "warning", message: "${{ }} is not interpolated here", path: [...path, key] });
  }
  return findings;
}

function checkScript(script: unknown, path: Path): Finding[] {
  if (!Array.isArray(script)) return [];
  return script.flatMap((entry: unknown, index) => {
    const at = [...path, index];
    if (Array.isArray(entry)) return checkSteps(entry, at);
    return [...checkPattern(fieldOf(entry, "on"), [...at, "on"]), ...checkSteps(fieldOf(entry, "do"), [...at, "do"])];
  });
}

function checkSteps(steps: unknown, path: Path): Finding[] {
  if (!Array.isArray(steps)) return [];
  return steps.flatMap((step: unknown, index) => {
    const at = [...path, index];
    const findings = [
      ...checkPattern(fieldOf(step, "expect"), [...at, "expect"]),
      ...checkPattern(fieldOf(fieldOf(step, "vote"), "on"), [...at, "vote", "on"]),
    ];
    const check = (text: string, where: Path) => findings.push(...checkTemplate(text, where, scriptNames));
    visitTexts(fieldOf(step, "say"), [...at, "say"], check);
    visitTexts(fieldOf(fieldOf(step, "tool"), "args"), [...at, "tool", "args"], check);
    return findings;
  });
}

function checkPattern(pattern: unknown, path: Path): Finding[] {
  if (typeof pattern !== "string") return [];
  try {
    RegExp(pattern);
    return [];
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^Invalid regular expression: /, "") : String(cause);
    return [{ severity: "error", message: `this is not a valid regular expression: ${reason}`, path }];
  }
}
