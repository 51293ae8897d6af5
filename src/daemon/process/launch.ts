/** One worker process: started in a session of its own, heard, watched, and ended as a whole. */
import { randomUUID } from "node:crypto";
import { markVariable, type ProcessIdentity, processStartTime } from "../../system/process.ts";
import { workerFolder } from "../../system/self.ts";
import type { Outcome } from "../../protocol/turn.ts";
import type { WorkerProfile, WorkerInput, WorkerSpec } from "../../protocol/worker/worker-input.ts";
import type { WorkerEvent } from "../../protocol/worker/worker-event.ts";
import { workerEnvironment } from "./environment.ts";
import { listen, Nonsense } from "./listen.ts";
import type { RunningWorker } from "./spawn.ts";
import { endStrays, mayStartProcesses } from "./strays.ts";

export type LaunchOptions = {
  /** Argv of the worker. */
  command: string[];
  /** From TERM to KILL. */
  graceMs: number;
  /** A worker that says nothing for so long, not even a heartbeat, is ended. */
  silenceMs: number;
};

/** A worker that may not have a spec yet. Its promises never reject. */
export type LaunchedWorker = {
  /** Lets it connect with a token that can do nothing, and load what such agents need; true when it is ready, false when it ended before. May be said again. */
  prepare(mcpUrl: string, token: string, agents: WorkerProfile[]): Promise<boolean>;
  /** Gives it its spec; once only. */
  run(spec: WorkerSpec, onEvent: (event: WorkerEvent) => void): RunningWorker;
  /** Kills it at once: for a spare, which has nothing to lose. */
  discard(): void;
  /** Resolves when the process has ended and nothing of it is left. */
  gone: Promise<void>;
};

/** How long output may still arrive after the exit; a stray that holds the pipe could keep it open for ever. */
const drainMs = 300;
const stderrTailChars = 2_000;
const silenceTicks = 4;
/**
 * A worker's own code runs once or twice before its turn is over: compiling it to machine code, as Bun soon would, costs
 * a third of a start. What really runs hot is still compiled.
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
  let over = false;
  let stopped = false;
  let leavesStrays = false;
  let onEvent: ((event: WorkerEvent) => void) | undefined;
  let quietTicks = 0;

  // Counts ticks and not time: after a pause of this process, what the worker said meanwhile is still to be read.
  const watchdog = setInterval(() => {
    if (++quietTicks > silenceTicks) fail(`it said nothing for ${silenceMs / 1_000} s`);
  }, silenceMs / silenceTicks);
  const stderr = keepTail(subprocess.stderr);
  const heard = listen(subprocess.stdout, hear).catch((error: unknown) => {
    fail(error instanceof Nonsense ? error.message : String(error));
    return "";
  });
  const gone = subprocess.exited.then(async () => {
    if (!over) {
      const drained = await within(Promise.all([heard, stderr.closed]), drainMs);
      fail(describeExit(drained?.[0] ?? ""));
    }
    if (leavesStrays) await endStrays(identity, launchMark);
  });

  /** The worker has said all, or all that counts: nothing it does from here on matters. */
  function finish(outcome: Outcome): void {
    if (over) return;
    over = true;
    clearInterval(watchdog);
    signalGroup("SIGKILL");
    ready.resolve(false);
    ended.resolve(outcome);
  }

  function fail(reason: string): void {
    const message = stopped ? "the worker was stopped" : `the worker failed: ${reason}${stderr.quote()}`;
    finish({ status: "failed", failure: { kind: "transient", message } });
  }

  function hear(event: WorkerEvent): boolean {
    if (over) return false;
    quietTicks = 0;
    if (event.type === "turn-end") finish(event.outcome);
    else if (event.type === "ready") ready.resolve(true);
    else onEvent?.(event);
    return !over;
  }

  function signalGroup(signal: NodeJS.Signals): void {
    // Until it has been reaped, which happens on this thread, no other process can have its number.
    if (subprocess.exitCode !== null || subprocess.signalCode !== null) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // It is ending at this very moment; its exit will be reported.
    }
  }

  function write(input: WorkerInput): void {
    try {
      subprocess.stdin.write(`${JSON.stringify(input)}\n`);
      void Promise.resolve(subprocess.stdin.flush()).catch(() => {});
    } catch {
      // A broken pipe: the worker is dead, which `gone` reports with the reason.
    }
  }

  function describeExit(rest: string): string {
    const { exitCode, signalCode } = subprocess;
    const how = signalCode === null ? `it exited with code ${exitCode}` : `it was ended by ${signalCode}`;
    return `${how} before its turn was over${rest && `, in the middle of the line ${rest}`}`;
  }

  return {
    gone,
    prepare(mcpUrl, token, agents) {
      write({ kind: "prepare", mcpUrl, token, agents });
      return ready.promise;
    },
    run(spec, listener) {
      onEvent = listener;
      leavesStrays = mayStartProcesses(spec);
      write(spec);
      return {
        ...identity,
        ended: ended.promise,
        async stop() {
          stopped = true;
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

/** The last words on stderr, for the message of a failure. */
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
