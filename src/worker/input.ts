/** The daemon's side of the pipe as the worker sees it: inputs in order, and the moment when the daemon is gone. */
import { createLineSplitter } from "../system/lines.ts";
import { workerLineBytes } from "../protocol/limits.ts";
import { WorkerInput } from "../protocol/worker/worker-input.ts";

/** A spec carries all values of a shell step, each of which may be as large as a captured output. */
const inputBytes = 8 * workerLineBytes;

export type Input = {
  /** The next input. Rejects when it cannot be read, and when `signal` is aborted before there is one. */
  next(signal: AbortSignal): Promise<WorkerInput>;
  /** Whether the next input is there already. */
  isWaiting(): boolean;
  /** Resolves when the pipe is closed: a worker's daemon closes it only by dying. */
  closed: Promise<void>;
};

/** Reads on while a turn runs, for only a reader sees the end. */
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
    // A daemon that cannot be understood is as good as gone.
    closed: read().catch(() => {}),
  };
}
