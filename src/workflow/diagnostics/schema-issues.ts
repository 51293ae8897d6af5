/** Turns schema issues into readable findings: one per mistake, with the key, name or form that was probably meant. */
import type { z } from "zod";
import { Context, Parallel, Task, taskKeys, WorkflowDefinition } from "../../protocol/definition/definition.ts";
import { Duration } from "../../protocol/definition/duration.ts";
import { MockScript, MockStep, mockStepKeys } from "../../protocol/definition/mock-script.ts";
import { McpServer, Skills, ToolEntry } from "../../protocol/definition/agent-definition.ts";
import { toolNames } from "../../protocol/definition/tool-name.ts";
import { ScheduleInput } from "../../protocol/schedule.ts";
import { skillSourceForms } from "../../protocol/definition/skill-source.ts";
import type { Finding, Path } from "./diagnostic.ts";
import { valueAt } from "../json.ts";
import { isRecord } from "../../text/json.ts";
import { keysAt, laterKeysAt, schemasAt } from "./schema-keys.ts";
import { didYouMean, nearest } from "../../text/suggest.ts";

type Issue = z.core.$ZodIssue;

const maxUnknownKeys = 100;

/** Parses a workflow; the definition is set if there are no findings. */
export function parseDefinition(workflow: unknown): { definition?: WorkflowDefinition; findings: Finding[] } {
  const parsed = WorkflowDefinition.safeParse(workflow);
  if (parsed.success) return { definition: parsed.data, findings: [] };
  return { findings: parsed.error.issues.flatMap((issue) => explain(issue, [], workflow)) };
}

/** The issue's path is relative to `base`; `root` is the whole workflow. */
function explain(issue: Issue, base: Path, root: unknown): Finding[] {
  const path = [...base, ...issue.path.map((segment) => (typeof segment === "symbol" ? String(segment) : segment))];
  const value = valueAt(root, path);
  if (isStrayPrompt(path, root)) return [];
  const error = (message: string, hint?: string): Finding[] => [
    { severity: "error", message, path, ...(hint !== undefined && { hint }) },
  ];
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.slice(0, maxUnknownKeys).map((key) => unknownKey(key, path));
    case "invalid_union":
      return explainUnion(issue, path, root);
    case "invalid_type":
      return value === undefined ? missing(path, root) : error(...wrongType(issue.expected, value, path));
    case "invalid_value":
      return error(...unknownValue(issue.values.map(String), value, path));
    case "invalid_key":
      return [{ ...error(`'${path.at(-1)}' is ${issue.issues[0]?.message ?? "not a valid key"}`)[0]!, part: "key" }];
    case "too_small":
      return error(issue.origin === "number" ? `must be at least ${issue.minimum}` : "must not be empty");
    case "too_big":
      return error(`must be at most ${issue.maximum}`);
    default:
      return error(issue.message);
  }
}

/** Only a borrowed agent has a `prompt`; `check-agent.ts` reports any other. */
function isStrayPrompt([top, name, key]: Path, root: unknown): boolean {
  return top === "agents" && key === "prompt" && valueAt(root, [top, name ?? "", "ref"]) === undefined;
}

function unknownKey(key: string, path: Path): Finding {
  const known = keysAt(path);
  const found = { severity: "error", path: [...path, key], part: "key" } as const;
  if (laterKeysAt(path).includes(key)) return { ...found, message: `'${key}' is not supported in this version` };
  // Valid in another variant, such as another type of task.
  if (known.includes(key)) return { ...found, message: `'${key}' cannot be combined with the other keys here` };
  const suggestion = didYouMean(key, known);
  const message = `unknown key '${clip(key)}'${suggestion}`;
  return suggestion === "" ? { ...found, message, hint: `known keys: ${known.join(", ")}` } : { ...found, message };
}

/** Empty if a mistyped key explains it, or if the value could not be read. */
function missing(path: Path, root: unknown): Finding[] {
  const key = String(path.at(-1));
  const parent = valueAt(root, path.slice(0, -1));
  if (!isRecord(parent) || Object.hasOwn(parent, key)) return [];
  const known = keysAt(path.slice(0, -1));
  const isMistyped = Object.keys(parent).some((other) => !known.includes(other) && nearest(other, known, 1)[0] === key);
  return isMistyped ? [] : [{ severity: "error", message: `the key '${key}' is missing`, path }];
}

function wrongType(expected: string, value: unknown, path: Path): [message: string, hint?: string] {
  if (value === null) return [`'${path.at(-1)}' has no value`, "add a value, or remove the key"];
  if (expected === "int") return ["expected a whole number"];
  const isDuration = schemasAt(path).includes(Duration);
  const message = `expected ${isDuration ? "a duration" : (typeLabels[expected] ?? expected)}, found ${describe(value)}`;
  if (expected !== "string" || typeof value === "object") return [message];
  return [
    message,
    isDuration ? `write a unit: ${String(value)}s or ${String(value)}m` : `quote it: "${String(value)}"`,
  ];
}

function unknownValue(values: string[], value: unknown, path: Path): [message: string, hint?: string] {
  const hint = `one of ${values.join(", ")}`;
  if (typeof value !== "string") return [`expected ${hint}, found ${describe(value)}`];
  const isItem = typeof path.at(-1) === "number";
  // The keys of a policy are tools, so they do not describe its values.
  const isApproval = path.at(-2) === "approval";
  const what = isApproval ? "approval mode" : String(isItem ? path.at(-2) : path.at(-1)).replace(/s$/, "");
  return [`unknown ${what} '${clip(value)}'${didYouMean(value, values)}`, hint];
}

/** For a union, recognises the variant that the author chose and reports only the mistakes in it. */
function explainUnion(issue: z.core.$ZodIssueInvalidUnion, path: Path, root: unknown): Finding[] {
  const value = valueAt(root, path);
  const schemas = schemasAt(path);
  const choose = (option: Issue[] | undefined) => (option ?? []).flatMap((inner) => explain(inner, path, root));
  const error = (message: string, hint?: string, at: Path = path): Finding[] => [
    { severity: "error", message, path: at, ...(hint !== undefined && { hint }) },
  ];

  if (schemas.includes(MockStep)) {
    const problem = stepProblem(value);
    return problem ? error(...problem) : choose(issue.errors.find((option) => option.every(isInside)));
  }
  if (schemas.includes(MockScript)) {
    if (!Array.isArray(value)) return error(`expected a list of turns, found ${describe(value)}`, scriptForm);
    const [turns, replies] = issue.errors;
    if (value.every(Array.isArray)) return choose(turns);
    if (value.every(isReply)) return choose(replies);
    const stray = value.findIndex((item) => !Array.isArray(item) && !isReply(item));
    if (stray === -1) return error("a script has either turns or replies, not both");
    const isStep = isRecord(value[stray]);
    const message = isStep
      ? "expected a turn (a list of steps), found a map"
      : `expected a turn, found ${describe(value[stray])}`;
    return error(message, scriptForm, [...path, stray]);
  }
  if (schemas.includes(Task)) {
    const variant = taskKeys.findIndex((key) => isRecord(value) && key in value);
    return variant < 0 ? error(...noTask(value)) : choose(issue.errors[variant]);
  }
  if (schemas.includes(Parallel)) {
    if (Array.isArray(value) || isRecord(value)) return choose(issue.errors[Array.isArray(value) ? 0 : 1]);
    return error(`expected a list of tasks, found ${describe(value)}`);
  }
  if (schemas.includes(ToolEntry)) return error(...unknownTool(value, path));
  if (schemas.includes(McpServer)) {
    if (isRecord(value) && ("url" in value || "command" in value)) return choose(issue.errors["url" in value ? 1 : 0]);
    return error(
      "an MCP server needs a command or a url",
      "{ command: npx, args: [some-server] } or { url: https://… }",
    );
  }
  if (schemas.includes(Skills)) {
    if (Array.isArray(value)) return choose(issue.errors[1]);
    return error(`expected a list of skills, found ${describe(value)}`, `${skillSourceForms}; false: no skills`);
  }
  if (schemas.includes(Context) && !isRecord(value)) {
    return error(`expected false or { provider: … }, found ${describe(value)}`);
  }
  if (schemas.includes(ScheduleInput) && typeof value !== "string") {
    if (isRecord(value)) return choose(issue.errors[1]);
    return error(`expected an interval or a cron expression, found ${describe(value)}`, "write a unit, such as 5m");
  }
  return choose(issue.errors.find((option) => option.every(isInside)) ?? issue.errors[0]);
}

function unknownTool(value: unknown, path: Path): [message: string, hint?: string] {
  if (typeof value !== "string" || !/[./\\]/.test(value)) return unknownValue([...toolNames], value, path);
  const hint = "a module is a .ts or .js file; start its path with ./, such as ./my-tools.ts";
  return [`'${clip(value)}' is neither a tool nor the path of a module`, hint];
}

const scriptForm = "a script is a list of turns, each a list of steps: - - say: Done.";

function noTask(task: unknown): [message: string, hint: string] {
  const hint = "a task has shell:, send: with to:, or parallel:";
  if (!isRecord(task)) return [`expected a task, found ${describe(task)}`, hint];
  const [key] = Object.keys(task).filter((name) => !["if", "as", "to", "env", "cwd"].includes(name));
  return [
    key === undefined ? "this task does nothing" : `unknown task '${clip(key)}'${didYouMean(key, taskKeys)}`,
    hint,
  ];
}

/** What is wrong with a step as a whole; undefined if the mistake is inside it. */
function stepProblem(step: unknown): [message: string, hint?: string] | undefined {
  const hint = `a step is one of ${mockStepKeys.join(", ")}`;
  if (!isRecord(step)) return [`expected a step, found ${describe(step)}`, hint];
  const keys = Object.keys(step);
  const known = keys.filter((key) => mockStepKeys.some((name) => name === key));
  if (keys.length === 0) return ["this step is empty", hint];
  if (known.length === 0) return [`unknown step '${clip(keys[0]!)}'${didYouMean(keys[0]!, mockStepKeys)}`, hint];
  if (known.length > 1)
    return [`a step does one thing, but this one has ${known.join(" and ")}`, "write one step for each"];
  if (keys.length > 1)
    return [`unknown key '${clip(keys.find((key) => key !== known[0])!)}' in a ${known[0]} step`, hint];
  return undefined;
}

/** Whether an issue is inside the value, so that the value as a whole has the right form. */
function isInside(issue: Issue): boolean {
  return issue.path.length > 0;
}

function isReply(value: unknown): boolean {
  return isRecord(value) && ("on" in value || "do" in value);
}

const typeLabels: Record<string, string> = {
  string: "text",
  object: "a map",
  record: "a map",
  array: "a list",
  number: "a number",
};

function describe(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  return typeof value === "string" ? "text" : `the ${typeof value} ${String(value)}`;
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
