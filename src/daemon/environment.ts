/** The environment that the daemon is given: on stdin, because other processes of this user can read a process's own. */
import { z } from "zod";
import { MiB } from "../protocol/limits.ts";

const Environment = z.record(z.string(), z.string());
/** Several times what a system lets a process have. */
const environmentBytes = 16 * MiB;
/** Whoever starts a daemon writes at once; one that says nothing and keeps the pipe has nothing to say. */
const patienceMs = 5_000;

/** `own` where nothing is said, as for a daemon that somebody starts by hand. */
export async function readEnvironment(
  stdin: ReadableStream<Uint8Array> | undefined,
  own: Record<string, string | undefined>,
): Promise<Record<string, string | undefined>> {
  const text = stdin === undefined ? "" : await readAll(stdin);
  return text === "" ? own : Environment.parse(JSON.parse(text));
}

async function readAll(stdin: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stdin.getReader();
  const timer = setTimeout(() => void reader.cancel(), patienceMs);
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
