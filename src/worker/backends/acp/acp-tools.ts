/**
 * Maps an ACP agent's permission request to the names used in `tools` and `approval`: by its kind, never by its title.
 */
import { z } from "zod";
import { hashArguments } from "../../../system/canonical-json.ts";
import type { Subject } from "../../../workflow/approval-policy.ts";
import { pathSubject } from "../../approval/path-subject.ts";
import type { OwnCall } from "../../program/authorize-own-tool.ts";

/** What is known about a call, collected from all of its messages. */
export type AcpCall = {
  /** For people, and for unknown kinds. */
  name: string;
  kind?: string | null | undefined;
  /** Every input received: the decision must not depend on which one the agent means. */
  inputs: unknown[];
  paths: string[];
};

type Kind = { tool: string; also: string[]; needs: string[] };

const changing = ["write_file", "edit_file"];
const kinds: Record<string, Kind> = {
  execute: { tool: "bash", also: [], needs: ["bash"] },
  edit: { tool: "edit_file", also: ["write_file"], needs: changing },
  delete: { tool: "delete", also: changing, needs: [...changing, "bash"] },
  move: { tool: "move", also: changing, needs: [...changing, "bash"] },
  read: { tool: "read_file", also: [], needs: [] },
  search: { tool: "search_code", also: ["list_files"], needs: [] },
};

/** The tools of which the agent must have at least one to do this. */
export function requiredToolsFor(kind: string | null | undefined): string[] {
  return kindOf(kind)?.needs ?? [];
}

const Arguments = z.record(z.string(), z.unknown());
/** The argument names that programs use. */
const commandKeys = ["command", "cmd"];
const pathKeys = ["path", "file_path", "filePath", "filepath", "abs_path", "notebook_path"];
const Command = z.union([z.string(), z.array(z.string()).transform((words) => words.join(" "))]);

export async function ownCallOf({ name, kind, inputs, paths }: AcpCall, cwd: string): Promise<OwnCall> {
  const knownInputs = inputs.map((input) => Arguments.safeParse(input).data ?? {});
  const args: Record<string, unknown> = Object.assign({}, ...knownInputs);
  // Some programs add the folder that they are already in. Without this, a person who edits the call would have to
  // repeat it for the program's next request to count as approved.
  if (args.cwd === cwd) delete args.cwd;
  const known = kindOf(kind);
  if (!known) return { tool: name, args, equivalentTo: [], needs: [], otherwise: "auto" };
  const { tool, also: equivalentTo, needs } = known;
  const valuesOf = (keys: string[]) => knownInputs.flatMap((input) => keys.map((key) => input[key]));
  let subjects: Subject[];
  if (tool === "bash") {
    const commands = valuesOf(commandKeys).flatMap((value) => Command.safeParse(value).data ?? []);
    subjects = [...new Set(commands)].map((command) => ({ resolved: [command.trim()], asGiven: [] }));
  } else {
    const named = [...valuesOf(pathKeys), ...paths].filter((path) => typeof path === "string");
    subjects = await Promise.all([...new Set(named)].map((path) => pathSubject(cwd, path)));
  }
  return { tool, args, equivalentTo, needs, subjects, otherwise: "auto" };
}

/**
 * Identifies what a call does: its arguments without the description, because a model rewords the description when it
 * repeats a call with a person's edits.
 */
export function callKey({ tool, args }: Pick<OwnCall, "tool" | "args">): string {
  if (tool !== "bash") return `${tool} ${hashArguments(args)}`;
  const { description: _, ...rest } = args;
  return `${tool} ${hashArguments(rest)}`;
}

function kindOf(kind: string | null | undefined): Kind | undefined {
  return kind && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
}
