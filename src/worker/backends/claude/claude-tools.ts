/** Claude Code's own tools, in the words of an agent's `tools` and `approval`. */
import { subjectKey } from "../../../workflow/approval-policy.ts";
import { pathSubject } from "../../approval/path-subject.ts";
import type { OwnCall } from "../../program/judge-own.ts";

type StandIn = { for: string[]; changes: boolean };

/** Any other tool that it asks permission for is allowed only by a policy entry that names it. */
const standIns: Record<string, StandIn> = {
  Bash: { for: ["bash"], changes: true },
  Write: { for: ["write_file"], changes: true },
  Edit: { for: ["edit_file", "write_file"], changes: true },
  NotebookEdit: { for: ["edit_file", "write_file"], changes: true },
  Read: { for: ["read_file"], changes: false },
  Glob: { for: ["list_files"], changes: false },
  Grep: { for: ["search_code"], changes: false },
};

/** Those that an approval policy can name. */
export const askedTools = Object.keys(standIns);

/** What it has for the agent's tools that change something. */
export function changingTools(listed: Set<string>): string[] {
  const entries = Object.entries(standIns).filter(([, { changes }]) => changes);
  return entries.flatMap(([name, standIn]) => (standIn.for.some((tool) => listed.has(tool)) ? [name] : []));
}

/** The agent's tools that it is not served: it has its own, and with an approval policy it asks before it uses them. */
export function ownClaudeTools(listed: Set<string>): Set<string> {
  // Newer versions list and search with Bash alone, which the agent may not have.
  return new Set([...listed].filter((tool) => tool !== "list_files" && tool !== "search_code"));
}

/** What it must not offer, since the agent is served something else in its place: mocked, or made by somebody. */
export function replacedTools(served: Set<string>, own: Set<string>): string[] {
  const entries = Object.entries(standIns).filter(
    ([, standIn]) => standIn.for.some((tool) => served.has(tool)) && !standIn.for.some((tool) => own.has(tool)),
  );
  return entries.map(([name]) => name);
}

/** Where it works; it reads `~` as a shell does. */
export type ClaudePlace = { cwd: string; home: string | undefined };

/** It reads inside its folder without asking, with an approval policy or without. */
export async function claudeCall(
  tool: string,
  args: Record<string, unknown>,
  { cwd, home = "~" }: ClaudePlace,
): Promise<OwnCall> {
  const standIn = Object.hasOwn(standIns, tool) ? standIns[tool] : undefined;
  if (!standIn) return { tool, args, standsFor: [], needs: [], otherwise: "deny" };
  const key = subjectKey(tool);
  const path = key === undefined || key === "command" ? undefined : (args[key] ?? ".");
  const subject =
    typeof path === "string"
      ? await pathSubject(
          cwd,
          path.replace(/^~(?=\/|$)/, () => home),
        )
      : undefined;
  return {
    tool,
    args,
    standsFor: standIn.for,
    needs: standIn.changes ? standIn.for : [],
    ...(subject && { subjects: [subject] }),
    otherwise: subject?.isInside ? "auto" : "deny",
  };
}
