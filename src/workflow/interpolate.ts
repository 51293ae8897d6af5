/** `${{ … }}`: finds it, says what it may name, and puts values in its place. A value is data: it is never read again. */
import { AppError } from "../protocol/error.ts";

/** What a name can stand for during one run. */
export type Scope = {
  /** What steps captured with `as`. */
  captured: Record<string, string>;
  /** The caller's environment. */
  env: Record<string, string | undefined>;
  workflow: { name: string; tag: string };
  source: { dir: string };
};

export type Interpolated = {
  text: string;
  /** The ranges of `text` that are values and not the author's words. */
  values: [start: number, end: number][];
  /** Variables of the environment that were not set and became empty. */
  missing: string[];
};

/** One `${{ … }}` of a template, from its `$` to behind its last `}`. */
export type Expression = {
  start: number;
  end: number;
  /** What stands between the braces, trimmed. */
  source: string;
  /** False when its `}}` is missing; `end` is then behind the opening braces. */
  closed: boolean;
};

const builtIn = new Map<string, (scope: Scope) => string>([
  ["workflow.name", (scope) => scope.workflow.name],
  ["workflow.tag", (scope) => scope.workflow.tag],
  ["workflow.instance", (scope) => scope.workflow.tag],
  ["instance", (scope) => scope.workflow.tag],
  ["source.dir", (scope) => scope.source.dir],
]);
/** The names that every scope has, besides `env.X`. */
export const builtInNames: readonly string[] = [...builtIn.keys()];

/** Replaces each `${{ name }}` of a checked template by its value. */
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

/** All expressions of a template, in order. One that holds another's opening was itself never closed. */
export function findExpressions(template: string): Expression[] {
  const found: Expression[] = [];
  let open: number | undefined;
  const giveUp = () => {
    if (open !== undefined) found.push({ start: open, end: open + 3, source: "", closed: false });
  };
  for (const { 0: brace, index } of template.matchAll(/\$\{\{|\}\}/g)) {
    if (brace === "${{") {
      giveUp();
      open = index;
    } else if (open !== undefined) {
      found.push({ start: open, end: index + 2, source: template.slice(open + 3, index).trim(), closed: true });
      open = undefined;
    }
  }
  giveUp();
  return found;
}

/** The variable of the environment that an expression reads, if it reads one. */
export function environmentVariable(source: string): string | undefined {
  return /^env\.([A-Za-z_][A-Za-z0-9_]*)$/.exec(source)?.[1];
}

/** What an expression stands for; a variable of the environment that is not set is empty and added to `missing`. */
export function evaluate(source: string, scope: Scope, missing: Set<string>): string {
  const variable = environmentVariable(source);
  if (variable !== undefined) {
    const value = Object.hasOwn(scope.env, variable) ? scope.env[variable] : undefined;
    if (value === undefined) missing.add(variable);
    return value ?? "";
  }
  const named = builtIn.get(source);
  if (named) return named(scope);
  const captured = Object.hasOwn(scope.captured, source) ? scope.captured[source] : undefined;
  if (captured === undefined) throw new AppError("invalid-workflow", `unknown name '${source}' in \${{ }}`);
  return captured;
}
