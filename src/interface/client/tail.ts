/** Reads the last lines of a growing text file, and the text appended to it. */
import { closeSync, openSync, readSync, statSync, watch } from "node:fs";
import { MiB } from "../../protocol/limits.ts";

/** The most that is read at once; last lines are searched in this part of the file. */
const maxReadBytes = 1 * MiB;

export function lastLines(path: string, maxLines: number): { text: string; end: number } {
  const end = sizeOf(path);
  const lines = read(path, Math.max(0, end - maxReadBytes), end).split("\n");
  // The text ends with a newline, so the last element is empty.
  return { text: lines.slice(-maxLines - 1).join("\n"), end };
}

/** Text as it is appended after `from`, without end. A file that was replaced is read from its start. */
export async function* appendedText(path: string, from: number): AsyncGenerator<string, never> {
  let changed = Promise.withResolvers<void>();
  const watcher = watch(path, () => changed.resolve());
  let position = from;
  try {
    while (true) {
      const size = sizeOf(path);
      if (size < position) position = 0;
      const end = Math.min(size, position + maxReadBytes);
      if (end > position) {
        yield read(path, position, end);
        position = end;
        continue;
      }
      await changed.promise;
      changed = Promise.withResolvers();
    }
  } finally {
    watcher.close();
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function read(path: string, from: number, to: number): string {
  if (to <= from) return "";
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(to - from);
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from)).toString("utf8");
  } finally {
    closeSync(file);
  }
}
