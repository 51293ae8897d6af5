/** Reads server-sent events out of a response body, however its bytes are cut into chunks. */

export type ServerSentEvent = { id: string | undefined; data: string };

/** One event, unfinished: a run's result with its output is the largest there is. */
const maxBufferedChars = 64 * 1024 * 1024;

/** A parser fed with decoded text; gives the events that each piece completes. */
export function createEventParser(): (text: string) => ServerSentEvent[] {
  let pending = "";
  let id: string | undefined;
  let data: string[] = [];
  let size = 0;

  return (text) => {
    const complete: ServerSentEvent[] = [];
    pending += text;
    size += text.length;
    if (size > maxBufferedChars) throw new Error("an event from the daemon is too large");
    // A carriage return at the very end may be half of a line end.
    const held = pending.endsWith("\r") ? "\r" : "";
    const lines = (held === "" ? pending : pending.slice(0, -1)).split(/\r\n|\n|\r/);
    pending = (lines.pop() ?? "") + held;
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0) complete.push({ id, data: data.join("\n") });
        id = undefined;
        data = [];
        size = pending.length;
        continue;
      }
      const [field, value] = splitField(line);
      if (field === "data") data.push(value);
      if (field === "id") id = value;
    }
    return complete;
  };
}

/** The events of a response, to its end. Fails when nothing at all, not even a heartbeat, comes for `silenceMs`. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  silenceMs: number,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const reader = body.getReader();
  const parse = createEventParser();
  const decoder = new TextDecoder();
  try {
    while (true) {
      const chunk = await within(silenceMs, reader.read());
      if (chunk.done) return;
      yield* parse(decoder.decode(chunk.value, { stream: true }));
    }
  } finally {
    // The connection may be gone already; then there is nothing to cancel.
    await reader.cancel().catch(() => undefined);
  }
}

function splitField(line: string): [field: string, value: string] {
  const colon = line.indexOf(":");
  if (colon < 0) return [line, ""];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(" ") ? value.slice(1) : value];
}

async function within<Value>(limitMs: number, promise: Promise<Value>): Promise<Value> {
  let timer: Timer | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing was heard for ${limitMs / 1_000} s`)), limitMs);
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}
