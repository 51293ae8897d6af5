/** Checks the `${{ … }}` of one text: closed, not empty, and an expression over what is known at that place. */
import { type CelType, typeOfCel } from "../expression/cel.ts";
import type { Finding, Path } from "../diagnostics/diagnostic.ts";
import { compileExpression, isPlainName, namespaces } from "../expression/expression.ts";
import { environmentVariable, type Expression, findExpressions } from "../expression/interpolate.ts";
import { compileShell } from "../shell/shell.ts";
import { didYouMean } from "../../text/suggest.ts";

/** What may stand in a template at one place. */
export type KnownNames = {
  names: ReadonlySet<string>;
  /** The types of those that are not text. */
  types?: ReadonlyMap<string, CelType>;
  /** Whether `env.X` may stand there. */
  environment: boolean;
  /** Whether only names may stand there, and no expressions. */
  onlyNames?: boolean;
  /** Captured by steps that run only after this place is reached, or beside it. */
  later?: ReadonlySet<string>;
  /** Set when a mistake elsewhere may be why a name is unknown, so that naming it again would be noise. */
  unsure?: boolean;
};

/** A mistake, and where in the expression's source it is; the whole when it does not say. */
type Problem = { message: string; hint?: string; offset?: number; length?: number };

/** They mean a type in expressions, whatever a step may have captured. */
const typeNames = "bool bytes double int list map null_type string type uint cel google optional".split(" ");
const mostFindings = 20;

export function checkTemplate(template: string, path: Path, known: KnownNames): Finding[] {
  const findings: Finding[] = [];
  for (const expression of findExpressions(template)) {
    for (const { offset, length = 1, ...problem } of expressionProblems(expression, known)) {
      const whole = { offset: expression.start, length: expression.end - expression.start };
      const part = offset === undefined ? whole : { offset: expression.sourceStart + offset, length };
      findings.push({ severity: "error", path, part, ...problem });
    }
    if (findings.length >= mostFindings) break;
  }
  return findings.slice(0, mostFindings);
}

/** The same for a script, and that no value stands where the shell would read it again. */
export function checkShell(script: string, path: Path, known: KnownNames): Finding[] {
  const findings = checkTemplate(script, path, known);
  const expressions = findExpressions(script);
  if (expressions.some(({ closed }) => !closed)) return findings;
  const ends = new Map(expressions.map(({ start, end }) => [start, end]));
  for (const { offset, message, hint } of compileShell(script).problems.slice(0, mostFindings)) {
    const part = { offset, length: (ends.get(offset) ?? offset + 1) - offset };
    findings.push({ severity: "error", path, part, message, hint });
  }
  return findings;
}

/** The expression of an `if:`, which has to come to true or false. `offset` is where its source begins in the text. */
export function checkCondition(source: string, offset: number, path: Path, known: KnownNames): Finding[] {
  const problems = isPlainName(source) ? nameProblems(source, known) : sourceProblems(source, known);
  const type = problems.length > 0 ? "bool" : typeOf(source, known);
  if (type !== "bool" && type !== "dyn") {
    const hint = type === "string" ? `write ${source} != '' if it should not be empty` : undefined;
    problems.push({
      message: `this condition comes to ${articled(type)}, not to true or false`,
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
  if (source === "") return [{ message: "${{ }} names nothing", hint: `known here: ${listNames(names, environment)}` }];
  if (isPlainName(source)) return nameProblems(source, known);
  if (!known.onlyNames) return sourceProblems(source, known);
  return [{ message: `'${clip(source)}' is not a name`, hint: `here there are only ${listNames(names, environment)}` }];
}

/** What is wrong with an expression: how it is written, its names, and last its types. */
function sourceProblems(source: string, known: KnownNames): Problem[] {
  const { problems, references } = compileExpression(source);
  const unknown = references.flatMap(({ name, offset, length }): Problem[] => {
    const message = `'${name}' is a type in expressions`;
    if (typeNames.includes(name)) return [{ offset, length, message, hint: "capture the value under another name" }];
    return nameProblems(name, known).map((problem) => ({ offset, length, ...problem }));
  });
  if (problems.length > 0 || unknown.length > 0) return [...problems, ...unknown];
  // Nobody knows the types of names that are not certain themselves.
  if (references.some(({ name }) => !isKnown(name, known))) return [];
  const checked = typeOfCel(source, typesOf(source, known));
  if ("type" in checked) return [];
  const { offset, length, summary } = checked;
  const hint =
    summary.includes("string + ") || summary.includes(" + string") ? "string(…) makes text of a number" : undefined;
  return [{ offset, length, message: `this does not fit together: ${summary}`, ...(hint && { hint }) }];
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
  if (later?.has(name)) return [{ message: `'${name}' is captured only later, by this step or one after it` }];
  if (unsure && !name.includes(".")) return [];
  if (namespaces.includes(name)) {
    const fields = [...names].filter((other) => other.startsWith(`${name}.`));
    const hint =
      name === "env" ? "write env.NAME" : fields.length > 0 ? `there are ${fields.join(", ")}` : "there are none";
    return [{ message: `'${name}' is not a value itself`, hint }];
  }
  const suggestion = didYouMean(name, [...names]);
  const message = `unknown name '${clip(name)}'${suggestion}`;
  return [suggestion === "" ? { message, hint: `known here: ${listNames(names, environment)}` } : { message }];
}

function listNames(names: ReadonlySet<string>, environment: boolean): string {
  return [...names.values().take(20), ...(environment ? ["env.NAME"] : [])].join(", ");
}

function articled(type: string): string {
  const words: Record<string, string> = { string: "text", int: "a number", double: "a number" };
  return words[type] ?? `a ${type}`;
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
