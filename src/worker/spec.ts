/** Runs one spec of either kind, in its own process or, for debugging, inside the daemon. */
import type { Outcome } from "../protocol/turn.ts";
import type { WorkerSpec } from "../protocol/worker/worker-input.ts";
import type { TurnHost } from "./turn-host.ts";

/** A shell step needs no connection and a turn needs no shell, so each loads only its own code. */
export async function runSpec(spec: WorkerSpec, host: TurnHost): Promise<Outcome> {
  if (spec.kind === "shell") return (await import("./shell.ts")).runShell(spec, host.signal);
  return (await import("./turn.ts")).runTurn(spec, host);
}
