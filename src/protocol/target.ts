/** Targets: how people name agents and instances, `agent@workflow:tag`; parsed and formatted here. */
import { AppError } from "./error.ts";

export type Target = { agent?: string; workflow: string; tag: string };

export const globalWorkflow = "global";
export const defaultTag = "main";
export const reservedNames = ["all", "user", "system", "global"];

const namePattern = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;
const tagPattern = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,63}$/;

/** Why `name` is not a valid name of an agent or workflow; undefined if it is. */
export function nameProblem(name: string, what: "agent" | "workflow"): string | undefined {
  if (reservedNames.includes(name.toLowerCase()))
    return `'${name}' is reserved and cannot be the name of ${article(what)}`;
  if (name.length > 64) return `${what} names can have at most 64 characters`;
  if (!namePattern.test(name)) {
    return `'${clip(name)}' is not a valid ${what} name: use letters, digits, _ and -, starting with a letter`;
  }
  return undefined;
}

/** Why `tag` is not a valid tag; undefined if it is. */
export function tagProblem(tag: string): string | undefined {
  if (tagPattern.test(tag) && !tag.includes("..")) return undefined;
  return `'${clip(tag)}' is not a valid tag: use at most 64 letters, digits, _, - and single dots, starting with a letter or digit`;
}

/** Parses a target; `fallbackTag` is the value of `--tag`. */
export function parseTarget(text: string, fallbackTag: string = defaultTag): Target {
  const target = readTarget(text, fallbackTag);
  if (target instanceof AppError) throw target;
  return target;
}

/** Whether the text looks like a target of a workflow or of its agents. It must have `@`: any word could be a name. */
export function hasTargetForm(text: string): boolean {
  return text.includes("@") && !(readTarget(text, defaultTag) instanceof AppError);
}

function readTarget(text: string, fallbackTag: string): Target | AppError {
  const match = /^([^@:]*)(?:@([^@:]*)(?::(.*))?)?$/s.exec(text);
  const [, agent = "", workflow, tag] = match ?? [];
  if (!match || text === "" || text === "@") return notTarget(text);
  const problem =
    (agent === "" ? undefined : nameProblem(agent, "agent")) ??
    (workflow === undefined || workflow === globalWorkflow ? undefined : nameProblem(workflow, "workflow")) ??
    tagProblem(tag ?? fallbackTag);
  if (problem !== undefined) return notTarget(text, `: ${problem}`);
  return {
    ...(agent !== "" && { agent }),
    workflow: workflow ?? globalWorkflow,
    tag: tag ?? (workflow === undefined || workflow === globalWorkflow ? defaultTag : fallbackTag),
  };
}

function notTarget(text: string, reason = ""): AppError {
  const hint = "write agent, agent@workflow, @workflow or @workflow:tag";
  return new AppError("usage", `'${clip(text)}' is not a target${reason}`, { hint });
}

/** Formats a target, without the parts that are the default. */
export function formatTarget({ agent = "", workflow, tag }: Target): string {
  const suffix = tag === defaultTag ? "" : `:${tag}`;
  if (workflow === globalWorkflow && suffix === "" && agent !== "") return agent;
  return `${agent}@${workflow}${suffix}`;
}

/** The entries of the innermost project that contains the folder. */
export function innermost<Placed extends { project: string }>(placed: Placed[], folder: string): Placed[] {
  const around = placed.filter(({ project }) => {
    const inside = project.endsWith("/") ? project : `${project}/`;
    return project !== "" && (folder === project || folder.startsWith(inside));
  });
  const longest = Math.max(...around.map(({ project }) => project.length));
  return around.filter(({ project }) => project.length === longest);
}

function article(what: string): string {
  return what === "agent" ? "an agent" : "a workflow";
}

function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
