/** Runs one spec, of whichever kind; the same in a process of its own and, for debugging, inside the daemon's. */
import type { Outcome } from "../protocol/turn.ts";
import type { WorkerSpec } from "../protocol/worker/worker-input.ts";
import type { TurnHost } from "./turn-host.ts";

/** A shell step needs no connection, and a turn no shell: each loads only its own. */
export async function runSpec(spec: WorkerSpec, host: TurnHost): Promise<Outcome> {
  if (spec.kind === "shell") return (await import("./shell.ts")).runShell(spec, host.signal);
  return (await import("./turn.ts")).runTurn(spec, host);
}
