/** Checks an agent's approval rules: a rule that can never apply is worse than none, for somebody relies on it. */
import { ruleProblem, toolOfRule } from "./approval-policy.ts";
import type { Finding, Path } from "./diagnostic.ts";
import { entriesOf, fieldOf } from "./json.ts";
import { didYouMean } from "./suggest.ts";

/** The daemon's own tools: what an agent says to its team is never asked about. */
const contextTools =
  /^((channel|inbox|document|resource|proposal)_\w+|workflow_agents|status_set|vote|ask_user|permission_prompt|feedback_submit)$/i;

export function checkApproval(agent: unknown, path: Path): Finding[] {
  const given = fieldOf(agent, "tools");
  const tools = Array.isArray(given) ? given.filter((tool) => typeof tool === "string") : [];
  return entriesOf(fieldOf(agent, "approval")).flatMap(([rule]): Finding[] => {
    const at = { path: [...path, "approval", rule], part: "key" as const };
    const problem = ruleProblem(rule);
    if (problem !== undefined) return [{ severity: "error", message: problem, ...at }];
    const tool = toolOfRule(rule);
    if (tool === undefined) return [];
    if (contextTools.test(tool)) {
      const hint = "rules are for tools that act: bash, files, and those of modules and servers";
      return [{ severity: "error", message: `${tool} is never asked about`, hint, ...at }];
    }
    const isKnown = tools.some((known) => known.toLowerCase() === tool.toLowerCase());
    const guess = isKnown ? "" : didYouMean(tool, tools);
    return guess === "" ? [] : [{ severity: "warning", message: `this agent lists no tool '${tool}'${guess}`, ...at }];
  });
}
