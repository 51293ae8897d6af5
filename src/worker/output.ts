/** Writes the pipe to the daemon: whole lines, in order, and nothing else on stdout. */
import { finalTextBytes, workerLineBytes } from "../protocol/limits.ts";
import type { WorkerEvent } from "../protocol/worker/worker-event.ts";

export type Output = {
  /** Resolves when the line has left this process. A line that is not awaited may be lost on exit. */
  emit(event: WorkerEvent): Promise<void>;
  /** Writes text that is not an event. Only the mock's `fail: garbage` does this. */
  write(text: string): Promise<void>;
};

/** Reserves stdout for the protocol. From now on the console prints to stderr. */
export function openOutput(): Output {
  const sink = Bun.stdout.writer();
  redirectConsole();

  const write = async (text: string): Promise<void> => {
    try {
      sink.write(text);
      await sink.flush();
    } catch {
      // The daemon is gone; the end of stdin is about to report it.
    }
  };
  return { emit: (event) => write(`${encode(event)}\n`), write };
}

/** Replaces an outcome that is too long for the daemon with a failure that says so. */
function encode(event: WorkerEvent): string {
  const line = JSON.stringify(event);
  if (event.type !== "turn-end" || event.outcome.status !== "succeeded") return line;
  const { text, usage } = event.outcome;
  const tooLong = Buffer.byteLength(text) > finalTextBytes || Buffer.byteLength(line) > workerLineBytes;
  if (!tooLong) return line;
  const message = `the final text is ${Buffer.byteLength(text)} bytes long, more than the limit of ${finalTextBytes}`;
  return JSON.stringify({
    type: "turn-end",
    outcome: { status: "failed", failure: { kind: "permanent", message }, usage },
  } satisfies WorkerEvent);
}

function redirectConsole(): void {
  // oxlint-disable-next-line no-console -- this is where printing is redirected
  for (const method of ["log", "info", "debug", "dir", "table", "group"] as const) console[method] = console.error;
}

/**
 * For a process that runs a user's code. Our own code never writes to `process.stdout`: touching it loads all of Node's
 * streams, which takes 14 ms, a third of a worker's start.
 */
export function redirectStdout(): void {
  Object.defineProperty(process, "stdout", { get: () => process.stderr });
}
