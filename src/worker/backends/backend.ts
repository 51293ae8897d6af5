/** What every backend is: a turn's spec and its surroundings in, events out. */
import type { InboxCheckResult } from "../../protocol/tools/inbox.ts";
import type { Failure, Outcome } from "../../protocol/turn.ts";
import type { WorkerProfile, TurnSpec } from "../../protocol/worker/worker-input.ts";
import type { WorkerEvent } from "../../protocol/worker/worker-event.ts";
import type { Skill } from "../../skills/skill.ts";
import type { Context } from "../context.ts";
import type { Prompt } from "../prompt.ts";
import type { Provider } from "../model/provider.ts";
import type { Tool } from "../tools/tool.ts";

/** What a turn has besides its spec. */
export type Surroundings = {
  /** The daemon's tools. */
  context: Context;
  /** The local tools that the agent has. */
  tools: Tool[];
  /** What the agent can be taught; the tool `skill` loads it. */
  skills: Skill[];
  /** What a program must know to be served them. */
  toolSecret: string;
  inbox: InboxCheckResult;
  prompt: Prompt;
  /** What the agent says about its provider, with its key: for memory and the environment of a child, never for argv. */
  provider: Provider;
  /** The caller's environment with what the agent adds; it holds keys, and tools are given less. */
  env: Record<string, string>;
  /** Aborted when the turn is to stop; what the backend started must then end. */
  signal: AbortSignal;
  /** Ends this process in the wrong way. Only the mock asks for it. */
  sabotage(how: Sabotage): Promise<never>;
};

export type Sabotage = "crash" | "garbage";

/** What it tells of the turn, and the turn's end. */
export type BackendEvent = Exclude<WorkerEvent, { type: "ready" | "heartbeat" }>;

/**
 * Runs one turn. The last event is the only `turn-end`. A model's failure is an outcome, never an exception: its kind
 * says what happened, and whether it is tried again is decided elsewhere. The daemon's tools are called in events as
 * the daemon calls them, without a runtime's own prefix. The caller shortens the texts of events and takes secrets out.
 */
export type Backend = ((spec: TurnSpec, surroundings: Surroundings) => AsyncIterable<BackendEvent>) & {
  /** Loads in a spare what a turn of such an agent would need first. The context has a token that can call nothing. */
  prepare?(profile: WorkerProfile, context: Context): Promise<void>;
  /** Whether its program has the agent's skills where it looks for them, and tells its model of them itself. */
  listsSkills?(spec: TurnSpec): boolean;
};

/** The last event. */
export function ended(outcome: Outcome): BackendEvent {
  return { type: "turn-end", outcome };
}

/** A failed outcome, in short. */
export function failed(kind: Failure["kind"], message: string): Outcome {
  return { status: "failed", failure: { kind, message } };
}
