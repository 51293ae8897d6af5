/** The interface between the kernel and worker processes: how an attempt is started, observed and ended. */
import type { Outcome } from "../../protocol/turn.ts";
import type { WorkerSpec } from "../../protocol/worker/worker-input.ts";
import type { WorkerEvent } from "../../protocol/worker/worker-event.ts";

/** A worker with a spec. `ended` and `stop` never reject. */
export type RunningWorker = {
  pid: number;
  /** Distinguishes this process from a later one with the same pid. */
  startTime: string;
  /** Resolves to the outcome that the worker sent, or to a transient failure when it died or violated the protocol. */
  ended: Promise<Outcome>;
  /** Ends the worker and everything it started: SIGTERM, a grace period, SIGKILL. Resolves when all have ended. */
  stop(): Promise<void>;
};

/**
 * Starts a worker for one spec. Events arrive in order, none after `ended` has resolved; `turn-end` is not among them.
 * Rejects when no worker can be started, or when `signal` is aborted while it waits for a free slot.
 */
export type Spawn = (
  spec: WorkerSpec,
  onEvent: (event: WorkerEvent) => void,
  signal: AbortSignal,
) => Promise<RunningWorker>;
