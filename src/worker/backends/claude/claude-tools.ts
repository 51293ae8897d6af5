/** Claude Code's own tools, in the words of an agent's `tools` and `approval`. */
import { subjectKey } from "../../../workflow/approval-rules.ts";
import { pathSubject } from "../../approval/path-subject.ts";
import type { OwnCall } from "../../program/authorize-own-tool.ts";

type Equivalent = { for: string[]; changes: boolean };

/** Whatever else it asks leave for is allowed by a rule that names it, or not at all. */
const equivalents: Record<string, Equivalent> = {
  Bash: { for: ["bash"], changes: true },
  Write: { for: ["write_file"], changes: true },
  Edit: { for: ["edit_file", "write_file"], changes: true },
  NotebookEdit: { for: ["edit_file", "write_file"], changes: true },
  Read: { for: ["read_file"], changes: false },
  Glob: { for: ["list_files"], changes: false },
  Grep: { for: ["search_code"], changes: false },
};

/** Those that rules may be about. */
export const askedTools = Object.keys(equivalents);

/** What it has for the agent's tools that change something. */
export function changingTools(listed: Set<string>): string[] {
  const entries = Object.entries(equivalents).filter(([, { changes }]) => changes);
  return entries.flatMap(([name, equivalent]) => (equivalent.for.some((tool) => listed.has(tool)) ? [name] : []));
}

/** Of the agent's tools, those that it is not served: it has its own, and asks before it uses them where there are rules. */
export function ownClaudeTools(listed: Set<string>): Set<string> {
  // Newer versions list and search with Bash alone, which the agent may not have.
  return new Set([...listed].filter((tool) => tool !== "list_files" && tool !== "search_code"));
}

/** What it must not offer, since the agent is served something else in its place: mocked, or made by somebody. */
export function replacedTools(served: Set<string>, own: Set<string>): string[] {
  const entries = Object.entries(equivalents).filter(
    ([, equivalent]) => equivalent.for.some((tool) => served.has(tool)) && !equivalent.for.some((tool) => own.has(tool)),
  );
  return entries.map(([name]) => name);
}

/** Where it works; it reads `~` as a shell does. */
export type ClaudePlace = { cwd: string; home: string | undefined };

/** It reads inside its folder unasked, with rules or without. */
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
