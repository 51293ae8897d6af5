/** Writes to stdout and stderr synchronously, so that nothing is lost when the process exits right after. */
import { writeSync } from "node:fs";

const stdout = 1;
const stderr = 2;
/** How long to wait for a slow reader of a non-blocking pipe. */
const maxWaitMs = 30_000;
const pauseMs = 2;

/** Whether the reader of stdout has gone (`| head`): the rest of the output is dropped. */
let readerGone = false;

export function writeOut(text: string): void {
  if (!readerGone) readerGone = !writeAll(stdout, text);
}

export function writeErr(text: string): void {
  writeAll(stderr, text);
}

/** `process.stdout` costs 10 ms to set up and drops what it buffers on exit; a plain write does neither. */
function writeAll(fd: number, text: string): boolean {
  let bytes = Buffer.from(text);
  let waitedMs = 0;
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(fd, bytes));
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code !== "EAGAIN" || waitedMs >= maxWaitMs) return false;
      Bun.sleepSync(pauseMs);
      waitedMs += pauseMs;
    }
  }
  return true;
}
