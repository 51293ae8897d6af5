/** Checks the `${{ … }}` of one text: closed, not empty, and naming something that is known at that place. */
import type { Finding, Path } from "./diagnostic.ts";
import { environmentVariable, type Expression, findExpressions } from "./interpolate.ts";
import { compileShell } from "./shell.ts";
import { didYouMean } from "./suggest.ts";

/** What may stand in a template at one place. */
export type KnownNames = {
  names: ReadonlySet<string>;
  /** Whether `env.X` may stand there. */
  environment: boolean;
  /** Captured by steps that run only after this place is reached. */
  later?: ReadonlySet<string>;
  /** Set when a mistake elsewhere may be why a name is unknown, so that naming it again would be noise. */
  unsure?: boolean;
};

/** Roots of names that the design has and this version does not. */
const laterRoots = ["params", "context"];
const mostFindings = 20;

export function checkTemplate(template: string, path: Path, known: KnownNames): Finding[] {
  const findings: Finding[] = [];
  for (const expression of findExpressions(template)) {
    const problem = expressionProblem(expression, known);
    if (!problem) continue;
    const part = { offset: expression.start, length: expression.end - expression.start };
    findings.push({ severity: "error", path, part, ...problem });
    if (findings.length === mostFindings) break;
  }
  return findings;
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

function expressionProblem(
  { source, closed }: Expression,
  { names, environment, later, unsure = false }: KnownNames,
): { message: string; hint?: string } | undefined {
  if (!closed) return { message: "this ${{ is never closed", hint: "write ${{ name }}" };
  if (source === "") return { message: "${{ }} names nothing", hint: `known here: ${listNames(names, environment)}` };
  if (names.has(source) || (environment && environmentVariable(source) !== undefined)) return undefined;
  if (later?.has(source)) return { message: `'${source}' is captured only later, by this step or one after it` };
  const root = source.split(".", 1)[0]!;
  if (laterRoots.includes(root)) return { message: `'${root}' is not part of this version` };
  if (!/^[\w.-]+$/.test(source)) {
    return {
      message: `'${clip(source)}' is not a name`,
      hint: "this version knows names in ${{ }}, and no expressions",
    };
  }
  if (unsure && !source.includes(".")) return undefined;
  const suggestion = didYouMean(source, [...names]);
  const message = `unknown name '${clip(source)}'${suggestion}`;
  return suggestion === "" ? { message, hint: `known here: ${listNames(names, environment)}` } : { message };
}

function listNames(names: ReadonlySet<string>, environment: boolean): string {
  return [...names.values().take(20), ...(environment ? ["env.NAME"] : [])].join(", ");
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
