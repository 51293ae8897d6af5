/** One worker process: starts it in its own session, reads its events, watches it, and ends it with all it started. */
import { randomUUID } from "node:crypto";
import { markVariable, type ProcessIdentity, processStartTime } from "../../system/process.ts";
import { workerFolder } from "../../system/self.ts";
import type { Outcome } from "../../protocol/turn.ts";
import type { WorkerProfile, WorkerInput, WorkerSpec } from "../../protocol/worker/worker-input.ts";
import type { WorkerEvent } from "../../protocol/worker/worker-event.ts";
import { workerEnvironment } from "./worker-environment.ts";
import { ProtocolViolation, readWorkerEvents } from "./read-worker-events.ts";
import type { RunningWorker } from "./spawn.ts";
import { canStartProcesses, killDescendants } from "./orphans.ts";

export type LaunchOptions = {
  /** Argv of the worker. */
  command: string[];
  /** The time from SIGTERM to SIGKILL. */
  graceMs: number;
  /** A worker that sends nothing for this long, not even a heartbeat, is killed. */
  silenceMs: number;
};

/** A worker that may not have a spec yet. Its promises never reject. */
export type LaunchedWorker = {
  /**
   * Makes it connect, with a token that allows nothing, and load what such agents need. Resolves to true when it is
   * ready, to false when it ended before that. Can be called again.
   */
  prepare(mcpUrl: string, token: string, agents: WorkerProfile[]): Promise<boolean>;
  /** Sends it its spec. Called once. */
  run(spec: WorkerSpec, onEvent: (event: WorkerEvent) => void): RunningWorker;
  /** Kills it at once; for a spare, which has no work to lose. */
  discard(): void;
  /** Resolves when the process and everything it started have ended. */
  gone: Promise<void>;
};

/** How long to wait for output after the exit: an orphan that holds the pipe could keep it open forever. */
const drainMs = 300;
const stderrTailChars = 2_000;
const silenceTicks = 4;
/**
 * Most of a worker's code runs only once or twice per turn. Compiling it to machine code as early as Bun does by default
 * would cost a third of the startup time. Hot code is still compiled.
 */
const lateCompilation = { BUN_JSC_thresholdForJITAfterWarmUp: "50000" };

export function launchWorker({ command, graceMs, silenceMs }: LaunchOptions): LaunchedWorker {
  const launchMark = randomUUID();
  const subprocess = Bun.spawn(command, {
    cwd: workerFolder,
    env: { ...workerEnvironment(process.env), ...lateCompilation, [markVariable]: launchMark },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  const { pid } = subprocess;
  const identity: ProcessIdentity = { pid, startTime: processStartTime(pid) ?? "" };
  const ready = Promise.withResolvers<boolean>();
  const ended = Promise.withResolvers<Outcome>();
  let isOver = false;
  let isStopped = false;
  let mayHaveChildren = false;
  let onEvent: ((event: WorkerEvent) => void) | undefined;
  let quietTicks = 0;

  // Counts ticks, not time: when this process was suspended, events of the worker may still be unread.
  const watchdog = setInterval(() => {
    if (++quietTicks > silenceTicks) fail(`it sent nothing for ${silenceMs / 1_000} s`);
  }, silenceMs / silenceTicks);
  const stderr = keepTail(subprocess.stderr);
  const unfinishedLine = readWorkerEvents(subprocess.stdout, handleEvent).catch((error: unknown) => {
    fail(error instanceof ProtocolViolation ? error.message : String(error));
    return "";
  });
  const gone = subprocess.exited.then(async () => {
    if (!isOver) {
      const drained = await within(Promise.all([unfinishedLine, stderr.closed]), drainMs);
      fail(describeExit(drained?.[0] ?? ""));
    }
    if (mayHaveChildren) await killDescendants(identity, launchMark);
  });

  /** Fixes the outcome: nothing that the worker does from here on counts. */
  function finish(outcome: Outcome): void {
    if (isOver) return;
    isOver = true;
    clearInterval(watchdog);
    signalGroup("SIGKILL");
    ready.resolve(false);
    ended.resolve(outcome);
  }

  function fail(reason: string): void {
    const message = isStopped ? "the worker was stopped" : `the worker failed: ${reason}${stderr.quote()}`;
    finish({ status: "failed", failure: { kind: "transient", message } });
  }

  function handleEvent(event: WorkerEvent): boolean {
    if (isOver) return false;
    quietTicks = 0;
    if (event.type === "turn-end") finish(event.outcome);
    else if (event.type === "ready") ready.resolve(true);
    else onEvent?.(event);
    return !isOver;
  }

  function signalGroup(signal: NodeJS.Signals): void {
    // The pid cannot be reused until the process has been reaped, which happens on this thread.
    if (subprocess.exitCode !== null || subprocess.signalCode !== null) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // It is exiting right now; `gone` handles that.
    }
  }

  function write(input: WorkerInput): void {
    try {
      subprocess.stdin.write(`${JSON.stringify(input)}\n`);
      void Promise.resolve(subprocess.stdin.flush()).catch(() => {});
    } catch {
      // A broken pipe: the worker is dead, and `gone` reports the reason.
    }
  }

  function describeExit(unfinished: string): string {
    const { exitCode, signalCode } = subprocess;
    const how = signalCode === null ? `it exited with code ${exitCode}` : `it was killed by ${signalCode}`;
    return `${how} before its turn was over${unfinished && `, in the middle of the line ${unfinished}`}`;
  }

  return {
    gone,
    prepare(mcpUrl, token, agents) {
      write({ kind: "prepare", mcpUrl, token, agents });
      return ready.promise;
    },
    run(spec, listener) {
      onEvent = listener;
      mayHaveChildren = canStartProcesses(spec);
      write(spec);
      return {
        ...identity,
        ended: ended.promise,
        async stop() {
          isStopped = true;
          signalGroup("SIGTERM");
          await within(subprocess.exited, graceMs);
          signalGroup("SIGKILL");
          await gone;
        },
      };
    },
    discard: () => finish({ status: "failed", failure: { kind: "transient", message: "the worker was not needed" } }),
  };
}

/** The end of stderr, for the failure message. */
function keepTail(stream: ReadableStream<Uint8Array>): { closed: Promise<void>; quote(): string } {
  let tail = "";
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) tail = (tail + decoder.decode(chunk, { stream: true })).slice(-stderrTailChars);
  };
  const closed = read().catch(() => {});
  return { closed, quote: () => (tail.trim() === "" ? "" : `\n${tail.trim()}`) };
}

/** The promise's value, or undefined when it takes longer. */
async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(late.resolve, ms, undefined);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
