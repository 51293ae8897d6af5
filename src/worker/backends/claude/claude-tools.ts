/** Maps Claude Code's own tools to the names used in an agent's `tools` and `approval`. */
import { subjectKey } from "../../../workflow/approval-policy.ts";
import { pathSubject } from "../../approval/path-subject.ts";
import type { OwnCall } from "../../program/authorize-own-tool.ts";

type Equivalent = { for: string[]; changes: boolean };

/** Any other tool needs a policy entry with its name. */
const equivalents: Record<string, Equivalent> = {
  Bash: { for: ["bash"], changes: true },
  Write: { for: ["write_file"], changes: true },
  Edit: { for: ["edit_file", "write_file"], changes: true },
  NotebookEdit: { for: ["edit_file", "write_file"], changes: true },
  Read: { for: ["read_file"], changes: false },
  Glob: { for: ["list_files"], changes: false },
  Grep: { for: ["search_code"], changes: false },
};

/** The tools that an approval policy can cover. */
export const askedTools = Object.keys(equivalents);

/** Its own tools for those of the agent's tools that change something. */
export function changingTools(listed: Set<string>): string[] {
  const entries = Object.entries(equivalents).filter(([, { changes }]) => changes);
  return entries.flatMap(([name, equivalent]) => (equivalent.for.some((tool) => listed.has(tool)) ? [name] : []));
}

/**
 * The agent's tools that are not served to it: it has its own, and asks for permission if there is an approval policy.
 */
export function ownClaudeTools(listed: Set<string>): Set<string> {
  // Newer versions list and search with Bash only, which the agent may not have.
  return new Set([...listed].filter((tool) => tool !== "list_files" && tool !== "search_code"));
}

/** Its own tools that it must not offer, because the agent is served another tool instead: a mock or a user's tool. */
export function replacedTools(served: Set<string>, own: Set<string>): string[] {
  const entries = Object.entries(equivalents).filter(
    ([, equivalent]) =>
      equivalent.for.some((tool) => served.has(tool)) && !equivalent.for.some((tool) => own.has(tool)),
  );
  return entries.map(([name]) => name);
}

/** Its working folder, and the home folder that `~` stands for. */
export type ClaudePlace = { cwd: string; home: string | undefined };

/** Claude Code reads inside its folder without asking, with or without an approval policy. */
export async function claudeCall(
  tool: string,
  args: Record<string, unknown>,
  { cwd, home = "~" }: ClaudePlace,
): Promise<OwnCall> {
  const equivalent = Object.hasOwn(equivalents, tool) ? equivalents[tool] : undefined;
  if (!equivalent) return { tool, args, equivalentTo: [], needs: [], otherwise: "deny" };
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
    equivalentTo: equivalent.for,
    needs: equivalent.changes ? equivalent.for : [],
    ...(subject && { subjects: [subject] }),
    otherwise: subject?.isInside ? "auto" : "deny",
  };
}
