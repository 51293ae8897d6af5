/** The end of a growing text file, and what is added to it. */
import { closeSync, openSync, readSync, statSync, watch } from "node:fs";
import { MiB } from "../../protocol/limits.ts";

/** The part of a file that its last lines are looked for in. */
const window = 1 * MiB;

export function lastLines(path: string, most: number): { text: string; end: number } {
  const end = sizeOf(path);
  const lines = read(path, Math.max(0, end - window), end).split("\n");
  // The text ends with a line end, so the last piece is empty.
  return { text: lines.slice(-most - 1).join("\n"), end };
}

/** Pieces of text as they are appended after `from`, for ever. A file that was replaced is read from its beginning. */
export async function* appendedText(path: string, from: number): AsyncGenerator<string, never> {
  let changed = Promise.withResolvers<void>();
  const watcher = watch(path, () => changed.resolve());
  let place = from;
  try {
    while (true) {
      const size = sizeOf(path);
      if (size < place) place = 0;
      const end = Math.min(size, place + window);
      if (end > place) {
        yield read(path, place, end);
        place = end;
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
