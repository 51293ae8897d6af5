/** What every backend is: a turn's spec and its surroundings in, events out. */
import type { InboxCheckResult } from "../../protocol/tools.ts";
import type { Failure, Outcome } from "../../protocol/turn.ts";
import type { TurnSpec, WorkerEvent } from "../../protocol/worker.ts";
import type { Skill } from "../../skills/skill.ts";
import type { Context } from "../context.ts";
import type { Prompt } from "../prompt.ts";
import type { Tool } from "../tools/tool.ts";

/** What a turn has besides its spec. */
export type Surroundings = {
  /** The daemon's tools. */
  context: Context;
  /** The local tools that the agent has. */
  tools: Tool[];
  /** The skills that its prompt lists; `linkSkills` puts them where a program looks for its own. */
  skills: Skill[];
  inbox: InboxCheckResult;
  prompt: Prompt;
  /** Aborted when the turn is to stop; what the backend started must then end. */
  signal: AbortSignal;
  /** Ends this process in the wrong way. Only the mock asks for it. */
  sabotage(how: Sabotage): Promise<never>;
};

export type Sabotage = "crash" | "garbage";

export type BackendEvent = Extract<WorkerEvent, { type: "text-delta" | "tool-call" | "tool-result" | "turn-end" }>;

/**
 * Runs one turn. The last event is the only `turn-end`. A model's failure is an outcome, never an exception; whether it
 * is tried again is decided elsewhere. Texts of tool events are shortened by the caller.
 */
export type Backend = (spec: TurnSpec, surroundings: Surroundings) => AsyncIterable<BackendEvent>;

/** A failed outcome, in short. */
export function failed(kind: Failure["kind"], message: string): Outcome {
  return { status: "failed", failure: { kind, message } };
}
