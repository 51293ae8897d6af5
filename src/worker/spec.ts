/** Runs one spec, of whichever kind; the same in a process of its own and, for debugging, inside the daemon's. */
import type { Outcome } from "../protocol/turn.ts";
import type { WorkerEvent, WorkerSpec } from "../protocol/worker.ts";
import type { Sabotage } from "./backends/backend.ts";
import type { Context } from "./context.ts";

/** What a spec's execution is given by the process it happens in. */
export type Life = {
  emit(event: WorkerEvent): void | Promise<void>;
  signal: AbortSignal;
  /** A connection made beforehand. */
  context?: Context;
  sabotage(how: Sabotage): Promise<never>;
};

/** Never rejects; `turn-end` is not emitted but returned. */
export async function runSpec(spec: WorkerSpec, life: Life): Promise<Outcome> {
  // A shell step needs no MCP client, and a turn no shell: each loads only its own.
  if (spec.kind === "shell") return (await import("./shell.ts")).runShell(spec, life.signal);
  return (await import("./turn.ts")).runTurn(spec, life);
}
