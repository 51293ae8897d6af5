/** Warns of `${{ env.X }}` that will be empty, since nobody means that. */
import type { Finding } from "./diagnostic.ts";
import { environmentVariable, findExpressions } from "./interpolate.ts";
import { visitTexts } from "./json.ts";

const mostFindings = 20;

export function unsetVariables(workflow: unknown, env: Record<string, string | undefined>): Finding[] {
  const findings: Finding[] = [];
  visitTexts(workflow, [], (text, path) => {
    for (const { source, start, end } of text.includes("${{") ? findExpressions(text) : []) {
      const variable = environmentVariable(source);
      if (variable === undefined || env[variable] !== undefined || findings.length === mostFindings) continue;
      const message = `the environment has no ${variable}: this will be empty`;
      findings.push({ severity: "warning", message, path, part: { offset: start, length: end - start } });
    }
  });
  return findings;
}
