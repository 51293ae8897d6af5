/** Checks the recipients of the kickoff, as they are read when the workflow starts. */
import type { Finding } from "../diagnostics/diagnostic.ts";
import { findExpressions } from "../expression/interpolate.ts";
import { entriesOf, fieldOf } from "../../text/json.ts";
import { findMentions } from "../../text/mentions.ts";
import { didYouMean, nearest } from "../../text/suggest.ts";

const maxUnknown = 20;

/** `isRun`: a run without tasks needs a kickoff that wakes an agent, so one that does not is an error, not a warning. */
export function checkKickoff(workflow: unknown, isRun: boolean): Finding[] {
  const kickoff = fieldOf(workflow, "kickoff");
  const tasks = fieldOf(workflow, "tasks");
  const mustWork = isRun && !(Array.isArray(tasks) && tasks.length > 0);
  if (kickoff === undefined && mustWork) {
    // A mistyped `kickoff` is reported as an unknown key.
    const keys = entriesOf(workflow).map(([key]) => key);
    if (nearest("kickoff", keys, 1).length > 0) return [];
    const hint = "add one, or tasks, or use start, which waits for messages";
    return problem("error", "there is no kickoff, so a run has nothing to do", hint);
  }
  if (typeof kickoff !== "string") return [];
  if (fieldOf(workflow, "context") === false) {
    const hint = "use tasks to send messages to the agents";
    return problem("error", "with context: false there is no channel for a kickoff", hint);
  }
  if (kickoff.trim() === "") return problem("error", "the kickoff is empty", "write what to do, or remove the key");

  const agents = agentNames(workflow);
  // The schema reports that there are no agents.
  if (agents.length === 0) return [];
  const { addressed, unknown } = readKickoff(kickoff, agents);
  // A warning about an unknown name is enough, unless a missing recipient has to be an error.
  if (!addressed && agents.length > 1 && (mustWork || unknown.length === 0)) {
    const message = ["the kickoff mentions no agent", ...unknown.map((name) => unknownAgent(name, agents))].join("; ");
    const hint = `mention an agent, such as @${agents[0]}, or @all; mentions in code and in values do not count`;
    return problem(mustWork ? "error" : "warning", message, hint);
  }
  return unknown.map((name) => ({
    severity: "warning",
    message: unknownAgent(name, agents),
    path: ["kickoff"],
    part: { offset: Math.max(0, kickoff.indexOf(`@${name}`)), length: name.length + 1 },
  }));
}

function problem(severity: Finding["severity"], message: string, hint: string): Finding[] {
  return [{ severity, message, path: ["kickoff"], part: "key", hint }];
}

function unknownAgent(name: string, agents: string[]): string {
  return `no agent named '${name}'${didYouMean(name, agents)}`;
}

function readKickoff(kickoff: string, agents: string[]): { addressed: boolean; unknown: string[] } {
  const known = new Set(agents.map((name) => name.toLowerCase()));
  const values = findExpressions(kickoff).map(({ start, end }) => [start, end] as const);
  const { names, all } = findMentions(kickoff, values);
  const unknown = names.filter((name) => !known.has(name.toLowerCase()));
  return { addressed: all || unknown.length < names.length, unknown: unknown.slice(0, maxUnknown) };
}

function agentNames(workflow: unknown): string[] {
  return entriesOf(fieldOf(workflow, "agents")).map(([name]) => name);
}
