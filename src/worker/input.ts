/** Reads the pipe from the daemon: inputs in order, and its end when the daemon is gone. */
import { createLineSplitter } from "../system/lines.ts";
import { workerLineBytes } from "../protocol/limits.ts";
import { WorkerInput } from "../protocol/worker/worker-input.ts";

/** A spec carries every value of a shell step, and each can be as large as a captured output. */
const inputBytes = 8 * workerLineBytes;

export type Input = {
  /** The next input. Rejects if it is invalid, and if `signal` is aborted before it arrives. */
  next(signal: AbortSignal): Promise<WorkerInput>;
  /** Whether the next input has already arrived. */
  isWaiting(): boolean;
  /** Resolves when the pipe is closed, which happens only when the daemon dies. */
  closed: Promise<void>;
};

/** Keeps reading while a turn runs, because only a reader notices the end of the pipe. */
export function openInput(stream: ReadableStream<Uint8Array>): Input {
  const lines: string[] = [];
  let arrived = Promise.withResolvers<void>();

  const read = async (): Promise<void> => {
    const splitter = createLineSplitter(inputBytes);
    for await (const chunk of stream) {
      lines.push(...splitter.push(chunk));
      arrived.resolve();
      arrived = Promise.withResolvers();
    }
  };

  return {
    async next(signal) {
      const aborted = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => aborted.reject(signal.reason), { once: true });
      while (lines.length === 0) await Promise.race([arrived.promise, aborted.promise]);
      return WorkerInput.parse(JSON.parse(lines.shift() ?? ""));
    },
    isWaiting: () => lines.length > 0,
    // Unreadable input is treated like a daemon that is gone.
    closed: read().catch(() => {}),
  };
}
