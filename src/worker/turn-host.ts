/** What the execution of a spec is given by the process it happens in. */
import type { WorkerEvent } from "../protocol/worker/worker-event.ts";
import type { Sabotage } from "./backends/backend.ts";
import type { DaemonTools } from "./daemon-tools.ts";

export type TurnHost = {
  /** Events in order; `turn-end` is not among them. */
  emit(event: WorkerEvent): void | Promise<void>;
  /** Aborted when the spec is to stop. */
  signal: AbortSignal;
  /** A connection made beforehand. */
  daemonTools?: DaemonTools;
  sabotage(how: Sabotage): Promise<never>;
};
