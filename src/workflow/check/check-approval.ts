/** Checks an agent's approval rules: a rule that can never apply is worse than none, for somebody relies on it. */
import { isContextTool } from "../../protocol/tooling.ts";
import { ruleProblem, toolOfRule } from "../approval-rules.ts";
import type { Finding, Path } from "../diagnostics/diagnostic.ts";
import { entriesOf, fieldOf } from "../../text/json.ts";
import { didYouMean } from "../../text/suggest.ts";

export function checkApproval(agent: unknown, path: Path): Finding[] {
  const given = fieldOf(agent, "tools");
  const tools = Array.isArray(given) ? given.filter((tool) => typeof tool === "string") : [];
  return entriesOf(fieldOf(agent, "approval")).flatMap(([rule]): Finding[] => {
    const at = { path: [...path, "approval", rule], part: "key" as const };
    const problem = ruleProblem(rule);
    if (problem !== undefined) return [{ severity: "error", message: problem, ...at }];
    const tool = toolOfRule(rule);
    if (tool === undefined) return [];
    // What an agent says to its team is never asked about.
    if (isContextTool(tool.toLowerCase())) {
      const hint = "rules are for tools that act: bash, files, and those of modules and servers";
      return [{ severity: "error", message: `${tool} is never asked about`, hint, ...at }];
    }
    const isKnown = tools.some((known) => known.toLowerCase() === tool.toLowerCase());
    const guess = isKnown ? "" : didYouMean(tool, tools);
    return guess === "" ? [] : [{ severity: "warning", message: `this agent lists no tool '${tool}'${guess}`, ...at }];
  });
}
