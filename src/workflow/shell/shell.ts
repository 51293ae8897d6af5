/** Turns a `shell:` template into a script in which each value is a variable: values are data, never shell text. */
import { AppError } from "../../protocol/error.ts";
import { evaluate, type Expression, findExpressions, type Scope } from "../expression/interpolate.ts";
import { readShell } from "./shell-reader.ts";
import { judgeCommand } from "./shell-rules.ts";
import type { Place } from "./shell-words.ts";

export type ShellProblem = { offset: number; message: string; hint: string };

export type RenderedShell = {
  script: string;
  /** To be set as shell variables that are not exported, before the script runs. */
  values: { name: string; value: string }[];
  /** Variables of the environment that were not set and became empty. */
  missing: string[];
};

export type CompiledShell = {
  /** Places where no value can stand; a script that has any is never rendered. */
  problems: ShellProblem[];
  render(scope: Scope): RenderedShell;
};

const mostPlaces = 1_000;
/** Changing these would change how the script itself works. */
const taken = new Set([
  "PATH",
  "HOME",
  "IFS",
  "ENV",
  "PWD",
  "SHELL",
  "USER",
  "UID",
  "LANG",
  "TMPDIR",
  "CDPATH",
  "TERM",
]);

/** Finds out what surrounds each `${{ }}` of a script, once; rendering it then needs no more reading. */
export function compileShell(template: string): CompiledShell {
  const expressions = findExpressions(template).filter(({ closed }) => closed);
  const { places, problems } = readPlaces(template, expressions);
  const prefix = unusedPrefix(template);
  const names = new Map<string, string>();
  for (const { source } of expressions) {
    if (!names.has(source)) names.set(source, `${prefix}${names.size + 1}`);
  }

  return {
    problems,
    render(scope) {
      if (problems[0]) throw new AppError("invalid-workflow", problems[0].message, { hint: problems[0].hint });
      const missing = new Set<string>();
      const values = [...names].map(([source, name]) => ({ name, value: valueFor(source, scope, missing) }));
      return { script: withReferences(template, places, names), values, missing: [...missing] };
    },
  };
}

function readPlaces(template: string, expressions: Expression[]): { places: Place[]; problems: ShellProblem[] } {
  if (expressions.length === 0) return { places: [], problems: [] };
  const beyond = expressions[mostPlaces];
  if (beyond) {
    const message = `a script has at most ${mostPlaces} \${{ }}`;
    return { places: [], problems: [{ offset: beyond.start, message, hint: "write the values to a file first" }] };
  }
  const { places, unclosed } = readShell(template, expressions, judgeCommand);
  const problems = places.filter(({ refused }) => refused !== undefined).map(refusal);
  if (unclosed) {
    const hint = "otherwise nobody can tell how the values in it have to be quoted";
    problems.push({ offset: unclosed.offset, message: `in this script, ${unclosed.what}`, hint });
  }
  return { places, problems };
}

/** In plain words the reference brings its own quotes, so that no value is split or matched against files. */
function withReferences(template: string, places: readonly Place[], names: Map<string, string>): string {
  let script = "";
  let copied = 0;
  for (const { expression, quoting } of places) {
    const reference = `\${${names.get(expression.source)!}}`;
    script += template.slice(copied, expression.start) + (quoting === "double" ? reference : `"${reference}"`);
    copied = expression.end;
  }
  return script + template.slice(copied);
}

function valueFor(source: string, scope: Scope, missing: Set<string>): string {
  const value = evaluate(source, scope, missing);
  if (value.includes("\0")) {
    throw new AppError("setup-failed", `the value of '${source}' holds a NUL byte, which no shell variable can hold`, {
      hint: "write it to a file in the step that produces it, and read that file here",
    });
  }
  return value;
}

function refusal({ expression: { start, source }, refused }: Place): ShellProblem {
  const variable = variableFor(source);
  return {
    offset: start,
    message: `\${{ ${source} }} cannot stand ${refused}`,
    hint: `add env: { ${variable}: "\${{ ${source} }}" } to the step and let the script use "$${variable}"`,
  };
}

function variableFor(source: string): string {
  const name = source
    .replace(/^env\./, "")
    .replace(/\W+/g, "_")
    .slice(0, 40)
    .toUpperCase();
  return taken.has(name) || !/^[A-Z_]/.test(name) ? `VALUE_${name}` : name;
}

/** So that no name of ours is one of the script's. */
function unusedPrefix(template: string): string {
  const used = new Set(Array.from(template.matchAll(/__aw(\d*)_/g), ([, number]) => number));
  let number = "";
  while (used.has(number)) number = String(Number(number) + 1);
  return `__aw${number}_`;
}
