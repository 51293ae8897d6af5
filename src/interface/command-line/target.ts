/** Finds a command's target: its argument, `--to`, the default set by `use`, or the only instance of this folder. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../protocol/error.ts";
import { homeFiles } from "../../system/home.ts";
import { defaultTag, formatTarget, parseTarget, type Target, innermost } from "../../protocol/target.ts";
import type { Session } from "./session.ts";

/** The target given on the command line, or undefined. */
export function explicitTarget(
  argument: string | undefined,
  to: string | undefined,
  tag: string | undefined,
): Target | undefined {
  if (argument !== undefined && to !== undefined && argument !== to) {
    throw new AppError("usage", `two targets: '${argument}' and --to '${to}'`, { hint: "use only one of them" });
  }
  const text = argument ?? to;
  if (text === undefined) return undefined;
  const target = parseTarget(text, tag);
  if (tag !== undefined && text.includes("@") && target.tag !== tag) {
    throw new AppError("usage", `two tags: '${text}' and --tag '${tag}'`, { hint: "use only one of them" });
  }
  return target;
}

/** The target a command works on. If none is given it is looked up, but never guessed among several. */
export async function chooseTarget(session: Session, argument?: string, to?: string): Promise<Target> {
  const explicit = explicitTarget(argument, to, session.tag);
  if (explicit) return explicit;
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
    only ? `several workflows match: ${here.map((workflow) => workflow.target).join(", ")}` : "missing target",
    { hint: "specify one (agent, agent@workflow or @workflow), or set a default: agent-worker use <target>" },
  );
}

/** The workflow of a target, for output. Requests send the whole target, so that the daemon refuses an unknown agent. */
export function workflowOf({ workflow, tag }: Target): string {
  return formatTarget({ workflow, tag });
}

export function readDefaultTarget(home: string): string | undefined {
  try {
    return readFileSync(join(home, homeFiles.target), "utf8").trim() || undefined;
  } catch {
    // None is set.
    return undefined;
  }
}

export function writeDefaultTarget(home: string, target: string): void {
  writeFileSync(join(home, homeFiles.target), `${target}\n`, { mode: 0o600 });
}

export function clearDefaultTarget(home: string): void {
  rmSync(join(home, homeFiles.target), { force: true });
}

/** The tag of a new instance. */
export function tagOf(session: Session): string {
  return session.tag ?? defaultTag;
}
