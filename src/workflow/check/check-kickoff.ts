/** Checks whom the kickoff addresses, the way it will be read when the workflow starts. */
import type { Finding } from "../diagnostics/diagnostic.ts";
import { findExpressions } from "../expression/interpolate.ts";
import { entriesOf, fieldOf } from "../../text/json.ts";
import { findMentions } from "../../text/mentions.ts";
import { didYouMean, nearest } from "../../text/suggest.ts";

const mostUnknown = 20;

/** `isRun`: without tasks, a kickoff that wakes nobody is then an error and not a warning. */
export function checkKickoff(workflow: unknown, isRun: boolean): Finding[] {
  const kickoff = fieldOf(workflow, "kickoff");
  const tasks = fieldOf(workflow, "tasks");
  const mustWork = isRun && !(Array.isArray(tasks) && tasks.length > 0);
  if (kickoff === undefined && mustWork) {
    // A key that only looks like it has an error of its own, which explains this one.
    const keys = entriesOf(workflow).map(([key]) => key);
    if (nearest("kickoff", keys, 1).length > 0) return [];
    const hint = "add one, or tasks, or use start, which waits for messages";
    return problem("error", "there is no kickoff, so a run has nothing to do", hint);
  }
  if (typeof kickoff !== "string") return [];
  if (fieldOf(workflow, "context") === false) {
    const hint = "only tasks can speak to the agents then";
    return problem("error", "with context: false there is no channel for a kickoff", hint);
  }
  if (kickoff.trim() === "") return problem("error", "the kickoff is empty", "say what to do, or leave the key out");

  const agents = agentNames(workflow);
  // That there are none is an error of its own.
  if (agents.length === 0) return [];
  const { addressed, unknown } = readKickoff(kickoff, agents);
  // An unknown name explains why nobody is addressed, unless that has to be an error.
  if (!addressed && agents.length > 1 && (mustWork || unknown.length === 0)) {
    const message = ["the kickoff addresses nobody", ...unknown.map((name) => unknownAgent(name, agents))].join("; ");
    const hint = `mention an agent, such as @${agents[0]}, or @all; in code and in values it wakes nobody`;
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
  return `no agent is called '${name}'${didYouMean(name, agents)}`;
}

function readKickoff(kickoff: string, agents: string[]): { addressed: boolean; unknown: string[] } {
  const known = new Set(agents.map((name) => name.toLowerCase()));
  const values = findExpressions(kickoff).map(({ start, end }) => [start, end] as const);
  const { names, all } = findMentions(kickoff, values);
  const unknown = names.filter((name) => !known.has(name.toLowerCase()));
  return { addressed: all || unknown.length < names.length, unknown: unknown.slice(0, mostUnknown) };
}

function agentNames(workflow: unknown): string[] {
  return entriesOf(fieldOf(workflow, "agents")).map(([name]) => name);
}
