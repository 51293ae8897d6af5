/** One attempt of one turn or step: a worker with its timeouts; ends with exactly one outcome. */
import { reasonOf } from "../../../protocol/error.ts";
import type { Activity } from "../../../protocol/event.ts";
import type { Failure, Outcome } from "../../../protocol/turn.ts";
import type { WorkerSpec } from "../../../protocol/worker/worker-input.ts";
import type { WorkerEvent } from "../../../protocol/worker/worker-event.ts";
import type { Spawn } from "../../process/spawn.ts";
import type { Clock } from "../clock.ts";
import { TurnClock } from "./turn-clock.ts";

export type Attempt = {
  /** Resolves when the worker has ended: with its outcome, or `stopped` if it was stopped. */
  ended: Promise<Outcome | "stopped">;
  /** Ends the worker and ignores its output. Resolves when its processes are gone. */
  stop(): Promise<void>;
  /** Pauses its timeouts while a person is asked, until the returned function is called. */
  pause(): () => void;
};

export type AttemptOptions = {
  spawn: Spawn;
  clock: Clock;
  spec: WorkerSpec;
  timeoutMs: number;
  /** The attempt fails after this time without an event that shows progress. */
  idleTimeoutMs?: number;
  /** Receives what the worker does; its end comes with `ended`. */
  onActivity?: (activity: Activity) => void;
  onStart?: (worker: { pid: number; startTime: string }) => void;
};

export function startAttempt(options: AttemptOptions): Attempt {
  const { spawn, clock, spec, timeoutMs, idleTimeoutMs } = options;
  const cut = Promise.withResolvers<Outcome | "stopped">();
  const cutting = new AbortController();

  const cutOff = (outcome: Outcome | "stopped") => {
    cut.resolve(outcome);
    cutting.abort();
  };
  const fail = (message: string) => cutOff({ status: "failed", failure: { kind: "transient", message } });
  const turnClock = new TurnClock({ clock, timeoutMs, idleTimeoutMs, onTimeUp: fail });
  const onEvent = (event: WorkerEvent) => {
    if (event.type === "ready" || event.type === "heartbeat" || event.type === "turn-end") return;
    turnClock.progress();
    options.onActivity?.(event);
  };

  async function live(): Promise<Outcome | "stopped"> {
    try {
      const worker = await spawn(spec, onEvent, cutting.signal);
      turnClock.start();
      options.onStart?.(worker);
      const outcome = await Promise.race([cut.promise, worker.ended]);
      if (cutting.signal.aborted) await worker.stop();
      return outcome;
    } catch (error) {
      return cutting.signal.aborted ? cut.promise : { status: "failed", failure: spawnFailure(error) };
    } finally {
      turnClock.stop();
    }
  }

  const ended = live();
  return {
    ended,
    async stop() {
      cutOff("stopped");
      await ended;
    },
    pause: () => turnClock.pause(),
  };
}

function spawnFailure(error: unknown): Failure {
  return {
    kind: "transient",
    message: `the worker could not be started: ${reasonOf(error)}`,
  };
}
