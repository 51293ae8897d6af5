/** Checks each `${{ … }}` of a text: it is closed, not empty, and uses only names available at that place. */
import { type CelType, typeOfCel } from "../expression/cel.ts";
import type { Finding, Path } from "../diagnostics/diagnostic.ts";
import { compileExpression, isPlainName, namespaces } from "../expression/expression.ts";
import { environmentVariable, type Expression, findExpressions } from "../expression/interpolate.ts";
import { compileShell } from "../shell/shell.ts";
import { didYouMean } from "../../text/suggest.ts";

/** What a template at one place can use. */
export type KnownNames = {
  names: ReadonlySet<string>;
  /** The types of names that are not text. */
  types?: ReadonlyMap<string, CelType>;
  /** Whether `env.X` is available. */
  environment: boolean;
  /** Allows only names, not expressions. */
  onlyNames?: boolean;
  /** Captured by steps that run only after this place is reached, or in parallel with it. */
  later?: ReadonlySet<string>;
  /** Set if a mistake elsewhere can explain an unknown name, which is then not reported. */
  unsure?: boolean;
};

/** A mistake and its position in the expression's source; without an offset it is about the whole expression. */
type Problem = { message: string; hint?: string; offset?: number; length?: number };

/** Names of types in expressions, even if a step captures a value under such a name. */
const typeNames = "bool bytes double int list map null_type string type uint cel google optional".split(" ");
const maxFindings = 20;

export function checkTemplate(template: string, path: Path, known: KnownNames): Finding[] {
  const findings: Finding[] = [];
  for (const expression of findExpressions(template)) {
    for (const { offset, length = 1, ...problem } of expressionProblems(expression, known)) {
      const whole = { offset: expression.start, length: expression.end - expression.start };
      const part = offset === undefined ? whole : { offset: expression.sourceStart + offset, length };
      findings.push({ severity: "error", path, part, ...problem });
    }
    if (findings.length >= maxFindings) break;
  }
  return findings.slice(0, maxFindings);
}

/** The same for a script, which also must not have values where the shell would evaluate them again. */
export function checkShell(script: string, path: Path, known: KnownNames): Finding[] {
  const findings = checkTemplate(script, path, known);
  const expressions = findExpressions(script);
  if (expressions.some(({ closed }) => !closed)) return findings;
  const ends = new Map(expressions.map(({ start, end }) => [start, end]));
  for (const { offset, message, hint } of compileShell(script).problems.slice(0, maxFindings)) {
    const part = { offset, length: (ends.get(offset) ?? offset + 1) - offset };
    findings.push({ severity: "error", path, part, message, hint });
  }
  return findings;
}

/** Checks the expression of an `if:`, which must be true or false. `offset` is the start of its source in the text. */
export function checkCondition(source: string, offset: number, path: Path, known: KnownNames): Finding[] {
  const problems = isPlainName(source) ? nameProblems(source, known) : sourceProblems(source, known);
  const type = problems.length > 0 ? "bool" : typeOf(source, known);
  if (type !== "bool" && type !== "dyn") {
    const hint = type === "string" ? `write ${source} != '' if it should not be empty` : undefined;
    problems.push({
      message: `this condition is ${typeLabel(type)}, not true or false`,
      ...(hint && { hint }),
    });
  }
  return problems.map(({ offset: at = 0, length = source.length, ...problem }) => ({
    severity: "error",
    path,
    part: { offset: offset + at, length },
    ...problem,
  }));
}

function expressionProblems({ source, closed }: Expression, known: KnownNames): Problem[] {
  const { names, environment } = known;
  if (!closed) return [{ message: "this ${{ is never closed", hint: "write ${{ name }}" }];
  if (source === "") return [{ message: "this ${{ }} is empty", hint: available(names, environment) }];
  if (isPlainName(source)) return nameProblems(source, known);
  if (!known.onlyNames) return sourceProblems(source, known);
  return [{ message: `expected a name, found '${clip(source)}'`, hint: available(names, environment) }];
}

/** What is wrong with an expression: its syntax, its names, or else its types. */
function sourceProblems(source: string, known: KnownNames): Problem[] {
  const { problems, references } = compileExpression(source);
  const unknown = references.flatMap(({ name, offset, length }): Problem[] => {
    const message = `'${name}' is the name of a type in expressions`;
    if (typeNames.includes(name)) return [{ offset, length, message, hint: "capture the value under another name" }];
    return nameProblems(name, known).map((problem) => ({ offset, length, ...problem }));
  });
  if (problems.length > 0 || unknown.length > 0) return [...problems, ...unknown];
  // The types are unknown if a name is.
  if (references.some(({ name }) => !isKnown(name, known))) return [];
  const checked = typeOfCel(source, typesOf(source, known));
  if ("type" in checked) return [];
  const { offset, length, summary } = checked;
  const hint =
    summary.includes("string + ") || summary.includes(" + string")
      ? "convert a number to text with string(…)"
      : undefined;
  return [{ offset, length, message: `the types do not match: ${summary}`, ...(hint && { hint }) }];
}

function typeOf(source: string, known: KnownNames): string {
  if (isPlainName(source)) return known.types?.get(source) ?? "string";
  const checked = typeOfCel(source, typesOf(source, known));
  return "type" in checked ? checked.type : "dyn";
}

function typesOf(source: string, { types }: KnownNames): Map<string, CelType> {
  const { references } = compileExpression(source);
  return new Map(references.map(({ name }) => [name, types?.get(name) ?? "string"]));
}

function isKnown(name: string, { names, environment }: KnownNames): boolean {
  return names.has(name) || (environment && environmentVariable(name) !== undefined);
}

function nameProblems(name: string, known: KnownNames): Problem[] {
  const { names, environment, later, unsure = false } = known;
  if (isKnown(name, known)) return [];
  if (later?.has(name))
    return [{ message: `'${name}' is not available yet: it is captured by this step or a later one` }];
  if (unsure && !name.includes(".")) return [];
  if (namespaces.includes(name)) {
    const fields = [...names].filter((other) => other.startsWith(`${name}.`));
    const hint =
      name === "env"
        ? "write env.NAME"
        : fields.length > 0
          ? `write one of ${fields.join(", ")}`
          : `${name} is empty in this workflow`;
    return [{ message: `'${name}' is not a value`, hint }];
  }
  const suggestion = didYouMean(name, [...names]);
  const message = `unknown name '${clip(name)}'${suggestion}`;
  return [suggestion === "" ? { message, hint: available(names, environment) } : { message }];
}

function available(names: ReadonlySet<string>, environment: boolean): string {
  return `available here: ${[...names.values().take(20), ...(environment ? ["env.NAME"] : [])].join(", ")}`;
}

function typeLabel(type: string): string {
  const labels: Record<string, string> = { string: "text", int: "a number", double: "a number" };
  return labels[type] ?? `a ${type}`;
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
