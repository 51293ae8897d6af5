/** Finds each `${{ … }}` in a template and replaces it by its value. A value is data: it is never interpolated again. */
import { AppError } from "../../protocol/error.ts";
import { type CelValue, celSummary } from "./cel.ts";
import { compileExpression, isPlainName } from "./expression.ts";
import { isBounded } from "./expression-work.ts";

/** The values of names during one run. */
export type Scope = {
  /** What steps captured with `as`. */
  captured: Record<string, string>;
  /** The caller's environment. */
  env: Record<string, string | undefined>;
  /** The run's params; integers are BigInt. */
  params: Record<string, CelValue>;
  workflow: { name: string; tag: string };
  context: { channel: string; document: string };
  source: { dir: string };
};

export type Interpolated = {
  text: string;
  /** The ranges of `text` that are values, not text of the author. */
  values: [start: number, end: number][];
  /** Environment variables that were not set and became empty. */
  missing: string[];
};

/** One `${{ … }}` of a template, from its `$` to after its last `}`. */
export type Expression = {
  start: number;
  end: number;
  /** The text between the braces, trimmed. */
  source: string;
  /** The offset of `source`. */
  sourceStart: number;
  /** False if its `}}` is missing; `end` is then after the opening braces. */
  closed: boolean;
};

const builtIn = new Map<string, (scope: Scope) => string>([
  ["workflow.name", (scope) => scope.workflow.name],
  ["workflow.tag", (scope) => scope.workflow.tag],
  ["workflow.instance", (scope) => scope.workflow.tag],
  ["instance", (scope) => scope.workflow.tag],
  ["context.channel", (scope) => scope.context.channel],
  ["context.document", (scope) => scope.context.document],
  ["source.dir", (scope) => scope.source.dir],
]);
/** The names that every scope has, in addition to `env.X`. */
export const builtInNames: readonly string[] = [...builtIn.keys()];

/** Replaces each `${{ … }}` of a checked template by its value. */
export function interpolate(template: string, scope: Scope): Interpolated {
  const values: Interpolated["values"] = [];
  const missing = new Set<string>();
  let text = "";
  let copied = 0;
  for (const { start, end, source, closed } of findExpressions(template)) {
    if (!closed) continue;
    text += template.slice(copied, start);
    const value = evaluate(source, scope, missing);
    values.push([text.length, text.length + value.length]);
    text += value;
    copied = end;
  }
  return { text: text + template.slice(copied), values, missing: [...missing] };
}

/** All expressions of a template, in order. One that contains another `${{` is not closed. */
export function findExpressions(template: string): Expression[] {
  const found: Expression[] = [];
  let open: number | undefined;
  const endUnclosed = () => {
    if (open !== undefined)
      found.push({ start: open, end: open + 3, source: "", sourceStart: open + 3, closed: false });
  };
  for (const { 0: brace, index } of template.matchAll(/\$\{\{|\}\}/g)) {
    if (brace === "${{") {
      endUnclosed();
      open = index;
    } else if (open !== undefined) {
      const inner = template.slice(open + 3, index);
      const sourceStart = open + 3 + inner.length - inner.trimStart().length;
      found.push({ start: open, end: index + 2, source: inner.trim(), sourceStart, closed: true });
      open = undefined;
    }
  }
  endUnclosed();
  return found;
}

/** The environment variable that an expression names; undefined if it is anything else. */
export function environmentVariable(source: string): string | undefined {
  return /^env\.([A-Za-z_][A-Za-z0-9_]*)$/.exec(source)?.[1];
}

/** The value of an expression, as text; an environment variable that is not set is empty and added to `missing`. */
export function evaluate(source: string, scope: Scope, missing: Set<string>): string {
  if (isPlainName(source)) return String(valueOf(source, scope, missing));
  return toText(compute(source, scope, missing));
}

/** Whether the condition of an `if:` is true. */
export function evaluateCondition(source: string, scope: Scope): boolean {
  const value = isPlainName(source) ? valueOf(source, scope, new Set()) : compute(source, scope, new Set());
  if (typeof value === "boolean") return value;
  throw new AppError("failed", `the condition '${source}' is neither true nor false`, {
    hint: "write a comparison, such as review != ''",
  });
}

function compute(source: string, scope: Scope, missing: Set<string>): unknown {
  const { program, references, problems } = compileExpression(source);
  if (!program || problems[0]) {
    throw new AppError("invalid-workflow", problems[0]?.message ?? `'${source}' is not a valid expression`);
  }
  const sizes = new Map<string, number>();
  const values: Record<string, CelValue | Record<string, CelValue>> = {};
  const fields = new Map<string, Record<string, CelValue>>();
  for (const { name } of references) {
    const value = valueOf(name, scope, missing);
    sizes.set(name, typeof value === "string" ? value.length + 1 : 1);
    const [root = "", field] = name.split(".");
    if (field === undefined) values[root] = value;
    else fields.set(root, { ...fields.get(root), [field]: value });
  }
  if (!isBounded(program.tree, sizes)) {
    throw new AppError("failed", `the expression '${clip(source)}' would take too long for values of this size`, {
      hint: "do this in a shell step and capture its output",
    });
  }
  try {
    return program.run({ ...values, ...Object.fromEntries(fields) });
  } catch (error) {
    const summary = celSummary(error);
    if (summary === undefined) throw error;
    throw new AppError("failed", `the expression '${clip(source)}' failed: ${summary}`, { cause: error });
  }
}

/** The value of a name, with its type: integers are BigInt. */
function valueOf(name: string, scope: Scope, missing: Set<string>): CelValue {
  const variable = environmentVariable(name);
  if (variable !== undefined) {
    const value = Object.hasOwn(scope.env, variable) ? scope.env[variable] : undefined;
    if (value === undefined) missing.add(variable);
    return value ?? "";
  }
  const param = name.startsWith("params.") ? name.slice("params.".length) : undefined;
  if (param !== undefined && Object.hasOwn(scope.params, param)) return scope.params[param]!;
  const named = builtIn.get(name);
  if (named) return named(scope);
  const captured = Object.hasOwn(scope.captured, name) ? scope.captured[name] : undefined;
  if (captured === undefined)
    throw new AppError("invalid-workflow", `unknown name '${name}' in \${{ }}`, { details: { name } });
  return captured;
}

/** Text as it is, numbers and booleans as text, lists and maps as JSON, null as an empty text. */
function toText(value: unknown): string {
  if (value === null) return "";
  if (typeof value !== "object") return String(value);
  return JSON.stringify(value, (_, item) => (typeof item === "bigint" ? jsonNumber(item) : item));
}

/** A number that a JSON parser would round is written as a string. */
function jsonNumber(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
