/** One attempt of one turn or step: a worker, its deadlines and its lease; ends with exactly one outcome. */
import type { Failure, Outcome } from "../../protocol/turn.ts";
import type { WorkerEvent, WorkerSpec } from "../../protocol/worker.ts";
import type { Spawn } from "../process/spawn.ts";
import type { Clock, Timer } from "./clock.ts";

export type Attempt = {
  /** Resolves when the worker has ended: with its outcome, or `stopped` when it was told to. */
  ended: Promise<Outcome | "stopped">;
  /** Ends the worker; what it said is disregarded. Resolves when nothing of it is left. */
  stop(): Promise<void>;
};

export type AttemptOptions = {
  spawn: Spawn;
  clock: Clock;
  spec: WorkerSpec;
  timeoutMs: number;
  /** Without an event of progress for so long, the attempt has failed. */
  idleTimeoutMs?: number;
  onEvent?: (event: WorkerEvent) => void;
  onStart?: (worker: { pid: number; startTime: string }) => void;
};

export function startAttempt(options: AttemptOptions): Attempt {
  const { spawn, clock, spec, timeoutMs, idleTimeoutMs } = options;
  const cut = Promise.withResolvers<Outcome | "stopped">();
  const cutting = new AbortController();
  let idle: Timer | undefined;

  const cutOff = (outcome: Outcome | "stopped") => {
    cut.resolve(outcome);
    cutting.abort();
  };
  const fail = (message: string) => cutOff({ status: "failed", failure: { kind: "transient", message } });
  const watchProgress = () => {
    if (idleTimeoutMs === undefined || cutting.signal.aborted) return;
    idle?.cancel();
    idle = clock.after(idleTimeoutMs, () => fail(`no sign of progress for ${idleTimeoutMs / 1_000} s (idle_timeout)`));
  };
  const onEvent = (event: WorkerEvent) => {
    if (event.type === "ready" || event.type === "heartbeat") return;
    watchProgress();
    options.onEvent?.(event);
  };

  async function live(): Promise<Outcome | "stopped"> {
    let total: Timer | undefined;
    try {
      const worker = await spawn(spec, onEvent, cutting.signal);
      total = clock.after(timeoutMs, () => fail(`not finished after ${timeoutMs / 1_000} s (timeout)`));
      watchProgress();
      options.onStart?.(worker);
      const outcome = await Promise.race([cut.promise, worker.ended]);
      if (cutting.signal.aborted) await worker.stop();
      return outcome;
    } catch (error) {
      return cutting.signal.aborted ? cut.promise : { status: "failed", failure: spawnFailure(error) };
    } finally {
      total?.cancel();
      idle?.cancel();
    }
  }

  const ended = live();
  return {
    ended,
    async stop() {
      cutOff("stopped");
      await ended;
    },
  };
}

function spawnFailure(error: unknown): Failure {
  return {
    kind: "transient",
    message: `the worker could not be started: ${error instanceof Error ? error.message : String(error)}`,
  };
}
