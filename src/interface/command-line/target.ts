/** What a command is about: its argument, `--to`, the default that `use` chose, or the only instance of this folder. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../protocol/error.ts";
import { homeFiles } from "../../system/home.ts";
import { defaultTag, formatTarget, parseTarget, type Target, innermost } from "../../protocol/target.ts";
import type { Session } from "./session.ts";

/** The target that was written, or undefined when none was. */
export function writtenTarget(
  argument: string | undefined,
  to: string | undefined,
  tag: string | undefined,
): Target | undefined {
  if (argument !== undefined && to !== undefined && argument !== to) {
    throw new AppError("usage", `two targets: '${argument}' and --to '${to}'`, { hint: "give one of them" });
  }
  const text = argument ?? to;
  if (text === undefined) return undefined;
  const target = parseTarget(text, tag);
  if (tag !== undefined && text.includes("@") && target.tag !== tag) {
    throw new AppError("usage", `two tags: '${text}' and --tag '${tag}'`, { hint: "give one of them" });
  }
  return target;
}

/** The target a command works on. Where none is written it is looked for, and never guessed among several. */
export async function chooseTarget(session: Session, argument?: string, to?: string): Promise<Target> {
  const written = writtenTarget(argument, to, session.tag);
  if (written) return written;
  const chosen = readDefaultTarget(session.home);
  if (chosen !== undefined) return parseTarget(chosen, session.tag);
  const client = await session.connect();
  const { workflows } = await client.call("GET /workflows");
  const here = innermost(workflows, session.project ?? session.cwd).filter(
    ({ tag }) => session.tag === undefined || tag === session.tag,
  );
  const [only, ...others] = here;
  if (only && others.length === 0) return { workflow: only.name, tag: only.tag };
  throw new AppError(
    "usage",
    only ? `which one? ${here.map((workflow) => workflow.target).join(", ")}` : "no target was given",
    { hint: "name it (agent, agent@workflow or @workflow), or choose a default: agent-worker use <target>" },
  );
}

/** The workflow that a target lies in, for words. Requests carry the whole target: then an unknown agent is refused by the daemon. */
export function workflowOf({ workflow, tag }: Target): string {
  return formatTarget({ workflow, tag });
}

export function readDefaultTarget(home: string): string | undefined {
  try {
    return readFileSync(join(home, homeFiles.target), "utf8").trim() || undefined;
  } catch {
    // None was chosen.
    return undefined;
  }
}

export function writeDefaultTarget(home: string, target: string): void {
  writeFileSync(join(home, homeFiles.target), `${target}\n`, { mode: 0o600 });
}

export function clearDefaultTarget(home: string): void {
  rmSync(join(home, homeFiles.target), { force: true });
}

/** The tag that a new instance gets. */
export function tagOf(session: Session): string {
  return session.tag ?? defaultTag;
}
