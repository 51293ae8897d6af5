/** Workflow instances and their agents, as the APIs report them. */
import { z } from "zod";
import { BackendName } from "./backend/backend-name.ts";
import { InboxCounts } from "./delivery.ts";
import { Usage } from "./turn.ts";

export const RunMode = z.enum(["run", "start"]);
export type RunMode = z.infer<typeof RunMode>;

/** `interrupted`: a crash interrupted a step that must not be repeated without asking. */
export const WorkflowState = z.enum(["running", "ended", "stopped", "interrupted"]);
export type WorkflowState = z.infer<typeof WorkflowState>;

/** `blocked`: a call or question was denied because no person was available to decide, or none did in time. */
export const RunStatus = z.enum(["completed", "failed", "blocked", "stopped", "limited", "interrupted", "lost"]);
export type RunStatus = z.infer<typeof RunStatus>;

/** How a run ended. `results` contains what `as` captured. */
export const RunResult = z.object({
  status: RunStatus,
  exitCode: z.number().int(),
  output: z.string(),
  results: z.record(z.string(), z.string()),
  /** Milliseconds. */
  duration: z.number(),
  usage: Usage,
  turns: z.number().int(),
  messages: z.number().int(),
  dead: z.number().int(),
  parked: z.number().int(),
  reason: z.string().nullable(),
});
export type RunResult = z.infer<typeof RunResult>;

export const AgentInfo = z.object({
  name: z.string(),
  /** The full target. */
  target: z.string(),
  workflow: z.string(),
  tag: z.string(),
  project: z.string(),
  backend: BackendName,
  model: z.string().nullable(),
  description: z.string().nullable(),
  /** The standalone agent that it is borrowed from; null if the workflow defines it. */
  ref: z.string().nullable(),
  state: z.enum(["idle", "running", "stopped"]),
  /** What the agent last said it is doing. */
  status: z.string().nullable(),
  turn: z.string().nullable(),
  inbox: InboxCounts,
  /** The usage limit of its provider that holds its deliveries until a known time; null if there is none. */
  held: z.object({ until: z.number(), reason: z.string() }).nullable(),
});
export type AgentInfo = z.infer<typeof AgentInfo>;

export const WorkflowInfo = z.object({
  id: z.string(),
  name: z.string(),
  tag: z.string(),
  target: z.string(),
  project: z.string(),
  mode: RunMode,
  state: WorkflowState,
  run: z.number().int(),
  messages: z.number().int(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  result: RunResult.nullable(),
  /** Number of open proposals, and how many of them wait for the user's vote. */
  proposals: z.object({ active: z.number().int(), waitingForUser: z.number().int() }),
  /** The agents elected to a role. */
  elected: z.object({ documentOwner: z.string().nullable(), coordinator: z.string().nullable() }),
  agents: z.array(AgentInfo),
});
export type WorkflowInfo = z.infer<typeof WorkflowInfo>;
