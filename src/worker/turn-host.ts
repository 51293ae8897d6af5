/** What the process that runs a spec provides to it. */
import type { WorkerEvent } from "../protocol/worker/worker-event.ts";
import type { Sabotage } from "./backends/backend.ts";
import type { DaemonTools } from "./daemon-tools.ts";

export type TurnHost = {
  /** Takes events in order, without `turn-end`. */
  emit(event: WorkerEvent): void | Promise<void>;
  /** Aborted when the spec should stop. */
  signal: AbortSignal;
  /** A connection that is already open. */
  daemonTools?: DaemonTools;
  sabotage(how: Sabotage): Promise<never>;
};
