/** Reads the daemon's environment from stdin: other processes of this user could read it from the process itself. */
import { z } from "zod";
import { MiB } from "../protocol/limits.ts";

const Environment = z.record(z.string(), z.string());
/** Several times what the operating system allows a process. */
const environmentBytes = 16 * MiB;
/** The parent process writes at once; a pipe that stays open and silent for this long counts as empty. */
const readTimeoutMs = 5_000;

/** Returns `own` when stdin is empty, as for a daemon started by hand. */
export async function readEnvironment(
  stdin: ReadableStream<Uint8Array> | undefined,
  own: Record<string, string | undefined>,
): Promise<Record<string, string | undefined>> {
  const text = stdin === undefined ? "" : await readAll(stdin);
  return text === "" ? own : Environment.parse(JSON.parse(text));
}

async function readAll(stdin: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stdin.getReader();
  const timer = setTimeout(() => void reader.cancel(), readTimeoutMs);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      bytes += chunk.value.length;
      if (bytes > environmentBytes)
        throw new Error(`the environment on stdin is longer than ${environmentBytes} bytes`);
      chunks.push(chunk.value);
    }
  } finally {
    clearTimeout(timer);
    await reader.cancel();
  }
  return Buffer.concat(chunks).toString("utf8");
}
