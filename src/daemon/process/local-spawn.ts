/** Runs specs inside the daemon's process, so that a debugger can set breakpoints in a turn. */
import { randomUUID } from "node:crypto";
import { processStartTime } from "../../system/process.ts";
import type { Outcome } from "../../protocol/turn.ts";
import type { WorkerSpec } from "../../protocol/worker/worker-input.ts";
import type { WorkerEvent } from "../../protocol/worker/worker-event.ts";
import type { Spawn } from "./spawn.ts";

/** The worker's `runSpec`, passed in because the tiers do not import each other. */
export type RunSpec = (
  spec: WorkerSpec,
  host: { emit(event: WorkerEvent): void; signal: AbortSignal; sabotage(how: string): Promise<never> },
) => Promise<Outcome>;

export function createLocalSpawn(runSpec: RunSpec): Spawn {
  const identity = { pid: process.pid, startTime: processStartTime(process.pid) ?? randomUUID() };
  return async (spec, onEvent) => {
    const stopping = new AbortController();
    const ended = runSpec(spec, { emit: onEvent, signal: stopping.signal, sabotage }).catch(toFailure);
    return {
      ...identity,
      ended,
      async stop() {
        stopping.abort();
        await ended;
      },
    };
  };
}

function toFailure(error: unknown): Outcome {
  return { status: "failed", failure: { kind: "transient", message: `the worker failed: ${error}` } };
}

/** Fails the turn instead of harming the process, because the process is the daemon. */
function sabotage(how: string): Promise<never> {
  return Promise.reject(new Error(`${how}, as the script specifies`));
}
