/** The worker's side of the pipe to the daemon: whole lines, in order, and nothing else on stdout. */
import { finalTextBytes, workerLineBytes } from "../protocol/limits.ts";
import type { WorkerEvent } from "../protocol/worker/worker-event.ts";

export type Output = {
  /** Resolves when the line has left this process: what is not awaited may be lost at its exit. */
  emit(event: WorkerEvent): Promise<void>;
  /** Writes bytes that are no event. Only the mock's `fail: garbage` does. */
  write(text: string): Promise<void>;
};

/** Takes stdout for the protocol; what is printed on the console from now on goes to stderr. */
export function openOutput(): Output {
  const sink = Bun.stdout.writer();
  redirectConsole();

  const write = async (text: string): Promise<void> => {
    try {
      sink.write(text);
      await sink.flush();
    } catch {
      // Nobody reads any more: the daemon is gone, and the end of stdin is about to say so.
    }
  };
  return { emit: (event) => write(`${encode(event)}\n`), write };
}

/** An outcome that the daemon would refuse for its length is replaced by a failure that says so. */
function encode(event: WorkerEvent): string {
  const line = JSON.stringify(event);
  if (event.type !== "turn-end" || event.outcome.status !== "succeeded") return line;
  const { text, usage } = event.outcome;
  const tooLong = Buffer.byteLength(text) > finalTextBytes || Buffer.byteLength(line) > workerLineBytes;
  if (!tooLong) return line;
  const message = `the final text has ${Buffer.byteLength(text)} bytes; at most ${finalTextBytes} are kept`;
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
 * For a process that runs a user's own code. Our own never writes to `process.stdout`, and to touch it loads all of Node's
 * streams: 14 ms, a third of a worker's start.
 */
export function redirectStdout(): void {
  Object.defineProperty(process, "stdout", { get: () => process.stderr });
}
