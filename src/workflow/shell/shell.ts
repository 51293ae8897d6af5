/** Turns a `shell:` template into a script in which each value is a variable: values are data, never shell code. */
import { AppError } from "../../protocol/error.ts";
import { evaluate, type Expression, findExpressions, type Scope } from "../expression/interpolate.ts";
import { readShell } from "./shell-reader.ts";
import { checkCommand } from "./shell-commands.ts";
import type { Placeholder } from "./shell-words.ts";

export type ShellProblem = { offset: number; message: string; hint: string };

export type RenderedShell = {
  script: string;
  /** Set as shell variables, not exported, before the script runs. */
  values: { name: string; value: string }[];
  /** Environment variables that were not set and became empty. */
  missing: string[];
};

export type CompiledShell = {
  /** Placeholders where a value cannot be used; a script with any is never rendered. */
  problems: ShellProblem[];
  render(scope: Scope): RenderedShell;
};

const maxPlaceholders = 1_000;
/** Setting these would change how the script itself works. */
const reserved = new Set([
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

/** Determines the context of each `${{ }}` of a script once; rendering does not parse it again. */
export function compileShell(template: string): CompiledShell {
  const expressions = findExpressions(template).filter(({ closed }) => closed);
  const { placeholders, problems } = readPlaceholders(template, expressions);
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
      return { script: withReferences(template, placeholders, names), values, missing: [...missing] };
    },
  };
}

function readPlaceholders(
  template: string,
  expressions: Expression[],
): { placeholders: Placeholder[]; problems: ShellProblem[] } {
  if (expressions.length === 0) return { placeholders: [], problems: [] };
  const beyond = expressions[maxPlaceholders];
  if (beyond) {
    const message = `a script can have at most ${maxPlaceholders} \${{ }}`;
    return {
      placeholders: [],
      problems: [{ offset: beyond.start, message, hint: "write the values to a file first" }],
    };
  }
  const { placeholders, unclosed } = readShell(template, expressions, checkCommand);
  const problems = placeholders.filter(({ refused }) => refused !== undefined).map(refusal);
  if (unclosed) {
    const hint = "without that, the values in it cannot be quoted safely";
    problems.push({ offset: unclosed.offset, message: `in this script, ${unclosed.what}`, hint });
  }
  return { placeholders, problems };
}

/** In an unquoted word the reference gets quotes, so that the shell does not split the value or expand it to file names. */
function withReferences(template: string, placeholders: readonly Placeholder[], names: Map<string, string>): string {
  let script = "";
  let copied = 0;
  for (const { expression, quoting } of placeholders) {
    const reference = `\${${names.get(expression.source)!}}`;
    script += template.slice(copied, expression.start) + (quoting === "double" ? reference : `"${reference}"`);
    copied = expression.end;
  }
  return script + template.slice(copied);
}

function valueFor(source: string, scope: Scope, missing: Set<string>): string {
  const value = evaluate(source, scope, missing);
  if (value.includes("\0")) {
    throw new AppError(
      "setup-failed",
      `the value of '${source}' contains a NUL byte, which a shell variable cannot hold`,
      {
        hint: "write it to a file in the step that produces it, and read that file here",
      },
    );
  }
  return value;
}

function refusal({ expression: { start, source }, refused }: Placeholder): ShellProblem {
  const variable = variableFor(source);
  return {
    offset: start,
    message: `\${{ ${source} }} cannot be used ${refused}`,
    hint: `add env: { ${variable}: "\${{ ${source} }}" } to the step and use "$${variable}" in the script`,
  };
}

function variableFor(source: string): string {
  const name = source
    .replace(/^env\./, "")
    .replace(/\W+/g, "_")
    .slice(0, 40)
    .toUpperCase();
  return reserved.has(name) || !/^[A-Z_]/.test(name) ? `VALUE_${name}` : name;
}

/** A prefix for our variables that the script does not use. */
function unusedPrefix(template: string): string {
  const used = new Set(Array.from(template.matchAll(/__aw(\d*)_/g), ([, number]) => number));
  let number = "";
  while (used.has(number)) number = String(Number(number) + 1);
  return `__aw${number}_`;
}
