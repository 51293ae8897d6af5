/** What the daemon tells a worker: lines of JSON on its stdin. What it says is in `worker-event.ts`. */
import { z } from "zod";
import type { AgentDefinition } from "../definition/agent-definition.ts";
import { BackendName } from "../backend/backend-name.ts";

/** An agent as the daemon has resolved and checked it: durations are milliseconds here, no longer text as in a file. */
const ResolvedAgent = z.custom<AgentDefinition>((value) => typeof value === "object" && value !== null);

/** One turn of one agent. */
export const TurnSpec = z.object({
  kind: z.literal("turn"),
  /** The daemon's MCP endpoint, and the secret that stands for this attempt of this turn. */
  mcpUrl: z.string(),
  token: z.string(),
  turn: z.string(),
  attempt: z.number().int(),
  entry: z.number().int(),
  workflow: z.string(),
  tag: z.string(),
  agent: z.string(),
  definition: ResolvedAgent,
  teammates: z.array(z.object({ name: z.string(), description: z.string().optional() })),
  /** Fixed answers in place of tools, by their names. */
  mocks: z.record(z.string(), z.unknown()).optional(),
  /** Accounts whose usage limit is known to last: a turn that needs one of them need not ask. */
  usageLimits: z.array(z.object({ credential: z.string(), until: z.number(), reason: z.string() })).optional(),
  /** With `history: thread`, what the agent's last successful turn left for this one; its backend alone can read it. */
  conversation: z.string().optional(),
  /** Where tools work, and the caller's environment. It holds keys: it travels here and is written down nowhere. */
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
});
export type TurnSpec = z.infer<typeof TurnSpec>;

/** One shell step of `setup`. `values` are handed to the script as data, never as shell text. */
export const ShellSpec = z.object({
  kind: z.literal("shell"),
  script: z.string(),
  values: z.array(z.object({ name: z.string(), value: z.string() })),
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
});
export type ShellSpec = z.infer<typeof ShellSpec>;

export const WorkerSpec = z.discriminatedUnion("kind", [TurnSpec, ShellSpec]);
export type WorkerSpec = z.infer<typeof WorkerSpec>;

/** What kind of agent a spare may be used for: as much of a definition as says which code it needs. */
export const WorkerProfile = z.object({
  backend: BackendName,
  model: z.string().optional(),
  provider: z.string().optional(),
});
export type WorkerProfile = z.infer<typeof WorkerProfile>;

/** Sent first to a spare, which connects with a token that can do nothing and waits for its spec. */
export const WorkerPrepare = z.object({
  kind: z.literal("prepare"),
  mcpUrl: z.string(),
  token: z.string(),
  agents: z.array(WorkerProfile).default([]),
});
export type WorkerPrepare = z.infer<typeof WorkerPrepare>;

export const WorkerInput = z.discriminatedUnion("kind", [WorkerPrepare, TurnSpec, ShellSpec]);
export type WorkerInput = z.infer<typeof WorkerInput>;

export function profileOf({ backend, model, provider }: AgentDefinition): WorkerProfile {
  const name = typeof provider === "string" ? provider : provider?.name;
  return { backend, ...(model !== undefined && { model }), ...(name !== undefined && { provider: name }) };
}
