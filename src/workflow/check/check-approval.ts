/** Checks an agent's approval policy: an entry that can never match is worse than none, because someone relies on it. */
import { isContextTool } from "../../protocol/tooling.ts";
import { policyEntryProblem, toolOfPolicyEntry } from "../approval-policy.ts";
import type { Finding, Path } from "../diagnostics/diagnostic.ts";
import { entriesOf, fieldOf } from "../../text/json.ts";
import { didYouMean } from "../../text/suggest.ts";

export function checkApproval(agent: unknown, path: Path): Finding[] {
  const given = fieldOf(agent, "tools");
  const tools = Array.isArray(given) ? given.filter((tool) => typeof tool === "string") : [];
  return entriesOf(fieldOf(agent, "approval")).flatMap(([entry]): Finding[] => {
    const at = { path: [...path, "approval", entry], part: "key" as const };
    const problem = policyEntryProblem(entry);
    if (problem !== undefined) return [{ severity: "error", message: problem, ...at }];
    const tool = toolOfPolicyEntry(entry);
    if (tool === undefined) return [];
    // Calls that only reach the agent's own team never need approval.
    if (isContextTool(tool.toLowerCase())) {
      const hint = "an approval policy applies to tools that act: bash, file tools, and tools of modules and servers";
      return [{ severity: "error", message: `${tool} never needs approval`, hint, ...at }];
    }
    const isKnown = tools.some((known) => known.toLowerCase() === tool.toLowerCase());
    const guess = isKnown ? "" : didYouMean(tool, tools);
    return guess === "" ? [] : [{ severity: "warning", message: `this agent lists no tool '${tool}'${guess}`, ...at }];
  });
}
