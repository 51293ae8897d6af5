/** What the daemon sends to a worker: lines of JSON on its stdin. What the worker sends back is in `worker-event.ts`. */
import { z } from "zod";
import type { AgentDefinition } from "../definition/agent-definition.ts";
import { BackendName } from "../backend/backend-name.ts";

/** An agent that the daemon has already parsed: durations are milliseconds, not text as in a file. */
const ResolvedAgent = z.custom<AgentDefinition>((value) => typeof value === "object" && value !== null);

/** One turn of one agent. */
export const TurnSpec = z.object({
  kind: z.literal("turn"),
  /** The URL of the daemon's MCP server, and the token of this attempt. */
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
  /** The fixed results of mocked tools, by name. */
  mocks: z.record(z.string(), z.unknown()).optional(),
  /** Accounts with a usage limit in effect: a turn that needs one of them fails without asking the provider. */
  usageLimits: z.array(z.object({ credential: z.string(), until: z.number(), reason: z.string() })).optional(),
  /** With `history: thread`, the state that the agent's last successful turn left; only its backend can read it. */
  conversation: z.string().optional(),
  /** The tools' working directory, and the caller's environment, which is never stored because it contains keys. */
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
});
export type TurnSpec = z.infer<typeof TurnSpec>;

/** One shell step of `setup` or `tasks`. `values` are passed to the script as data, never as shell code. */
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

/** What a spare worker is prepared for: the parts of an agent's definition that determine which code it needs. */
export const WorkerProfile = z.object({
  backend: BackendName,
  model: z.string().optional(),
  provider: z.string().optional(),
});
export type WorkerProfile = z.infer<typeof WorkerProfile>;

/** Sent first to a spare, which connects with a token without permissions and waits for its spec. */
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
