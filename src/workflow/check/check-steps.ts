/** Checks `setup` and `tasks`: each step uses only what earlier steps capture, and recipients exist. */
import type { CelType } from "../expression/cel.ts";
import { checkCondition, checkShell, checkTemplate, type KnownNames } from "./check-template.ts";
import { readCondition } from "../expression/condition.ts";
import type { Finding, Path } from "../diagnostics/diagnostic.ts";
import { namespaces } from "../expression/expression.ts";
import { builtInNames } from "../expression/interpolate.ts";
import { entriesOf, fieldOf, isRecord } from "../../text/json.ts";
import { didYouMean } from "../../text/suggest.ts";

/** Names that `as` cannot use: names that exist in every scope, and keywords of expressions. */
const reservedCaptures = [...namespaces, "instance", "__proto__"];
const celKeywords =
  "true false null in as break const continue else for function if import let loop package namespace return var void while prototype".split(
    " ",
  );
const maxTasks = 1_000;

export type StepsOptions = {
  agents: string[];
  params: ReadonlyMap<string, CelType>;
  unsure: boolean;
};

/** The names available everywhere in a file, apart from captures. */
export function baseNames(params: ReadonlyMap<string, CelType>): string[] {
  return [...builtInNames, ...params.keys()];
}

/** A step can use what the steps before it capture, but not what it captures itself, or steps after or parallel to it. */
export function* checkSteps(workflow: unknown, options: StepsOptions): Generator<Finding, void> {
  const [setup, tasks] = [fieldOf(workflow, "setup"), fieldOf(workflow, "tasks")];
  const later = new Set(capturesOf([setup, tasks]));
  const names = new Set(baseNames(options.params));
  const known: KnownNames = { names, types: options.params, environment: true, later, unsure: options.unsure };
  const captured = new Set<string>();
  const count = { tasks: 0 };
  for (const [index, step] of listOf(setup).entries()) {
    yield* checkShellStep(step, ["setup", index], known);
    yield* checkCapture(step, ["setup", index], captured);
    for (const name of capturesOf([[step]])) names.add(name);
  }
  yield* checkTasks(tasks, ["tasks"], { names, known, captured, agents: options.agents, count });
}

type Tasks = {
  /** Grows with each capture, for the steps that follow. */
  names: Set<string>;
  known: KnownNames;
  /** All captures so far, to find duplicates. */
  captured: Set<string>;
  agents: string[];
  count: { tasks: number };
};

function* checkTasks(tasks: unknown, path: Path, state: Tasks): Generator<Finding, void> {
  for (const [index, task] of listOf(tasks).entries()) {
    const at = [...path, index];
    if (++state.count.tasks === maxTasks + 1) {
      yield {
        severity: "error",
        path: at,
        message: `a workflow can have at most ${maxTasks.toLocaleString("en")} tasks`,
      };
    }
    if (state.count.tasks > maxTasks) return;
    yield* checkTask(task, at, state);
    for (const name of capturesOf([[task]])) state.names.add(name);
  }
}

function* checkTask(task: unknown, path: Path, state: Tasks): Generator<Finding, void> {
  const { known, captured, agents } = state;
  const condition = fieldOf(task, "if");
  if (typeof condition === "string") yield* checkIf(condition, [...path, "if"], known);
  yield* checkShellStep(task, path, known);
  const send = fieldOf(task, "send");
  if (typeof send === "string") {
    yield* checkTemplate(send, [...path, "send"], known);
    if (send.trim() === "") yield { severity: "error", path: [...path, "send"], message: "this message is empty" };
  }
  yield* checkRecipient(fieldOf(task, "to"), [...path, "to"], agents);
  yield* checkCapture(task, path, captured);
  const { list, at } = groupOf(task, path);
  // Parallel tasks cannot use each other's captures: these become available after the whole group.
  for (const [index, branch] of list.entries()) {
    state.count.tasks += 1;
    yield* checkTask(branch, [...at, index], state);
  }
}

function* checkShellStep(step: unknown, path: Path, known: KnownNames): Generator<Finding, void> {
  const shell = fieldOf(step, "shell");
  if (typeof shell === "string") yield* checkShell(shell, [...path, "shell"], known);
  const cwd = fieldOf(step, "cwd");
  if (typeof cwd === "string") yield* checkTemplate(cwd, [...path, "cwd"], known);
  for (const [name, text] of entriesOf(fieldOf(step, "env"))) {
    if (typeof text === "string") yield* checkTemplate(text, [...path, "env", name], known);
  }
}

function checkIf(text: string, path: Path, known: KnownNames): Finding[] {
  const condition = readCondition(text);
  if ("problem" in condition) return [{ severity: "error", path, message: condition.problem }];
  // The schema reports an empty text.
  if (condition.source === "" && text === "") return [];
  if (condition.source === "") return [{ severity: "error", path, message: "this condition is empty" }];
  return checkCondition(condition.source, condition.offset, path, known);
}

function checkRecipient(to: unknown, path: Path, agents: string[]): Finding[] {
  if (typeof to !== "string" || agents.some((name) => name.toLowerCase() === to.toLowerCase())) return [];
  const suggestion = didYouMean(to, agents);
  const hint = suggestion === "" ? `agents: ${agents.slice(0, 10).join(", ")}` : undefined;
  return [{ severity: "error", path, message: `no agent named '${to}'${suggestion}`, ...(hint && { hint }) }];
}

function checkCapture(step: unknown, path: Path, captured: Set<string>): Finding[] {
  const name = fieldOf(step, "as");
  if (typeof name !== "string") return [];
  const at = { severity: "error", path: [...path, "as"] } as const;
  if (reservedCaptures.includes(name)) return [{ ...at, message: `'${name}' is a reserved name` }];
  if (celKeywords.includes(name))
    return [{ ...at, message: `'${name}' is a keyword of expressions and cannot be a name` }];
  if (captured.has(name)) return [{ ...at, message: `another step already captures '${name}'` }];
  captured.add(name);
  return [];
}

/** Everything that these lists of steps capture, including parallel groups. */
export function capturesOf(lists: unknown[]): string[] {
  return lists.flatMap(listOf).flatMap((step) => {
    const name = fieldOf(step, "as");
    return [...(typeof name === "string" ? [name] : []), ...capturesOf([groupOf(step, []).list])];
  });
}

/** The tasks of a parallel group in either form; empty if the task is not a group. */
function groupOf(task: unknown, path: Path): { list: unknown[]; at: Path } {
  const parallel = fieldOf(task, "parallel");
  if (isRecord(parallel)) return { list: listOf(parallel.tasks), at: [...path, "parallel", "tasks"] };
  return { list: listOf(parallel), at: [...path, "parallel"] };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
