/** Warns about an `env.X` that is not set, because an empty value is never intended. */
import { readCondition } from "../expression/condition.ts";
import type { Finding, Path } from "../diagnostics/diagnostic.ts";
import { compileExpression, isPlainName } from "../expression/expression.ts";
import { environmentVariable, findExpressions } from "../expression/interpolate.ts";
import { visitTexts } from "../json.ts";

const maxFindings = 20;

/** A variable that a text reads, and the part of the text that reads it. */
type Reading = { variable: string; offset: number; length: number };

export function unsetVariables(workflow: unknown, env: Record<string, string | undefined>): Finding[] {
  const findings: Finding[] = [];
  visitTexts(workflow, [], (text, path) => {
    for (const { variable, ...part } of readingsOf(text, path)) {
      if (env[variable] !== undefined || findings.length === maxFindings) continue;
      const message = `${variable} is not set in the environment: this will be empty`;
      findings.push({ severity: "warning", message, path, part });
    }
  });
  return findings;
}

function readingsOf(text: string, path: Path): Reading[] {
  if (!text.includes("${{")) {
    const bare = path[0] === "tasks" && path.at(-1) === "if" ? readCondition(text) : undefined;
    return bare && "source" in bare ? readingsIn(bare.source, bare.offset) : [];
  }
  return findExpressions(text).flatMap(({ source, sourceStart, start, end }) => {
    const variable = environmentVariable(source);
    if (variable !== undefined) return [{ variable, offset: start, length: end - start }];
    return readingsIn(source, sourceStart);
  });
}

function readingsIn(source: string, offset: number): Reading[] {
  if (isPlainName(source) || !source.includes("env.")) return [];
  return compileExpression(source).references.flatMap((reference) => {
    const variable = environmentVariable(reference.name);
    return variable === undefined ? [] : [{ variable, offset: offset + reference.offset, length: reference.length }];
  });
}
