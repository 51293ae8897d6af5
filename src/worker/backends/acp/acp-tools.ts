/** What an ACP agent asks leave for, in the words of an agent's `tools` and `approval`: by its kind, never by its title. */
import { z } from "zod";
import { hashArguments } from "../../../system/canonical-json.ts";
import type { Subject } from "../../../workflow/approval-policy.ts";
import { pathSubject } from "../../approval/path-subject.ts";
import type { OwnCall } from "../../program/judge-own.ts";

/** A call as far as it has been told; what one message leaves out, another has said. */
export type AcpCall = {
  /** For people, and for kinds that say nothing. */
  name: string;
  kind?: string | null | undefined;
  /** Each that was told: what is decided about must not depend on which of them the agent means. */
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

/** Of which tools an agent has to have one before it may do this. */
export function neededFor(kind: string | null | undefined): string[] {
  return kindOf(kind)?.needs ?? [];
}

const Arguments = z.record(z.string(), z.unknown());
/** As the programs call them. */
const commandKeys = ["command", "cmd"];
const pathKeys = ["path", "file_path", "filePath", "filepath", "abs_path", "notebook_path"];
const Command = z.union([z.string(), z.array(z.string()).transform((words) => words.join(" "))]);

export async function ownCallOf({ name, kind, inputs, paths }: AcpCall, cwd: string): Promise<OwnCall> {
  const told = inputs.map((input) => Arguments.safeParse(input).data ?? {});
  const args: Record<string, unknown> = Object.assign({}, ...told);
  // Some add the folder that they are in anyway. A person who changes the call would have to repeat it for the program's
  // next request to be what was approved.
  if (args.cwd === cwd) delete args.cwd;
  const known = kindOf(kind);
  if (!known) return { tool: name, args, standsFor: [], needs: [], otherwise: "auto" };
  const { tool, also: standsFor, needs } = known;
  const valuesOf = (keys: string[]) => told.flatMap((input) => keys.map((key) => input[key]));
  let subjects: Subject[];
  if (tool === "bash") {
    const commands = valuesOf(commandKeys).flatMap((value) => Command.safeParse(value).data ?? []);
    subjects = [...new Set(commands)].map((command) => ({ resolved: [command.trim()], asGiven: [] }));
  } else {
    const named = [...valuesOf(pathKeys), ...paths].filter((path) => typeof path === "string");
    subjects = await Promise.all([...new Set(named)].map((path) => pathSubject(cwd, path)));
  }
  return { tool, args, standsFor, needs, subjects, otherwise: "auto" };
}

/**
 * What one call does, told apart from others: its arguments without what is only a remark. A model words the remark anew
 * when it makes a call as a person has changed it.
 */
export function deedOf({ tool, args }: Pick<OwnCall, "tool" | "args">): string {
  if (tool !== "bash") return `${tool} ${hashArguments(args)}`;
  const { description: _, ...deed } = args;
  return `${tool} ${hashArguments(deed)}`;
}

function kindOf(kind: string | null | undefined): Kind | undefined {
  return kind && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
}
