/** The contract of a backend: takes a turn's spec and input, and yields events. */
import type { InboxCheckResult } from "../../protocol/tools/inbox.ts";
import type { Failure, Outcome } from "../../protocol/turn.ts";
import type { WorkerProfile, TurnSpec } from "../../protocol/worker/worker-input.ts";
import type { WorkerEvent } from "../../protocol/worker/worker-event.ts";
import type { Skill } from "../../skills/skill.ts";
import type { DaemonTools } from "../daemon-tools.ts";
import type { Prompt } from "../prompt.ts";
import type { Provider } from "../model/provider.ts";
import type { Tool } from "../tools/tool.ts";

/** Everything a turn has besides its spec. */
export type TurnInput = {
  /** The daemon's tools. */
  daemonTools: DaemonTools;
  /** The agent's local tools. */
  tools: Tool[];
  /** The skills that the tool `skill` can load. */
  skills: Skill[];
  /** The token of the server that gives programs the local tools. */
  toolSecret: string;
  inbox: InboxCheckResult;
  prompt: Prompt;
  /** The agent's provider settings, including its key: for memory and a child's environment, never for argv. */
  provider: Provider;
  /** The caller's environment with the agent's `env` on top. It contains keys; tools get less of it. */
  env: Record<string, string>;
  /** Aborted when the turn should stop. The backend must then end everything that it started. */
  signal: AbortSignal;
  /** Makes this process fail on purpose. Only the mock uses it. */
  sabotage(how: Sabotage): Promise<never>;
};

export type Sabotage = "crash" | "garbage";

/** What a backend reports about its turn, and the end of the turn. */
export type BackendEvent = Exclude<WorkerEvent, { type: "ready" | "heartbeat" }>;

/**
 * Runs one turn. The last event is the only `turn-end`. A model's failure is an outcome, never an exception; its kind
 * says what happened, and the kernel decides whether to retry. Events name the daemon's tools as the daemon does,
 * without a runtime's prefix. The caller shortens event text and removes secrets.
 */
export type Backend = ((spec: TurnSpec, turn: TurnInput) => AsyncIterable<BackendEvent>) & {
  /** Loads what a turn of such an agent needs first, in a spare worker. The token of `daemonTools` has no rights. */
  prepare?(profile: WorkerProfile, daemonTools: DaemonTools): Promise<void>;
  /** Whether its program finds the agent's skills itself and lists them to its model. */
  listsSkills?(spec: TurnSpec): boolean;
};

/** The final event of a turn. */
export function ended(outcome: Outcome): BackendEvent {
  return { type: "turn-end", outcome };
}

/** Shorthand for a failed outcome. */
export function failed(kind: Failure["kind"], message: string): Outcome {
  return { status: "failed", failure: { kind, message } };
}
