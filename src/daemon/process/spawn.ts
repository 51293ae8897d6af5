/** The seam between the kernel and worker processes: how an attempt is started, heard and ended. */
import type { Outcome } from "../../protocol/turn.ts";
import type { WorkerSpec } from "../../protocol/worker/worker-input.ts";
import type { WorkerEvent } from "../../protocol/worker/worker-event.ts";

/** A worker at work. `ended` and `stop` never reject. */
export type RunningWorker = {
  pid: number;
  /** With the pid, tells this process from a later one of the same number. */
  startTime: string;
  /** Resolves once: with what the worker said at its end, or with a transient failure when it died or talked nonsense. */
  ended: Promise<Outcome>;
  /** Ends the worker and all that it started: TERM, grace, KILL. Resolves when nothing of it is left. */
  stop(): Promise<void>;
};

/**
 * Starts a worker for one spec. Events come in order, none after `ended` has resolved; `turn-end` is not among them.
 * Rejects when none can be started, and when `signal` is aborted while it waits for a place.
 */
export type Spawn = (
  spec: WorkerSpec,
  onEvent: (event: WorkerEvent) => void,
  signal: AbortSignal,
) => Promise<RunningWorker>;
