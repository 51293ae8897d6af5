/** Reads server-sent events out of a response body, however its bytes are cut into chunks. */
import { createParser } from "eventsource-parser";

export type ServerSentEvent = { id: string | undefined; data: string };

/** One event, unfinished: a run's result with its output is the largest there is. */
const maxBufferedChars = 64 * 1024 * 1024;

/** A parser fed with decoded text; gives the events that each piece completes. */
export function createEventParser(): (text: string) => ServerSentEvent[] {
  let complete: ServerSentEvent[] = [];
  const parser = createParser({
    maxBufferSize: maxBufferedChars,
    onEvent: ({ id, data }) => complete.push({ id, data }),
    onError(error) {
      // Fields that are not known are passed over.
      if (error.type === "max-buffer-size-exceeded") throw new Error("an event from the daemon is too large");
    },
  });
  return (text) => {
    complete = [];
    parser.feed(text);
    return complete;
  };
}

/** The events of a response, to its end. Fails when nothing at all, not even a heartbeat, comes for `silenceMs`, if given. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  silenceMs?: number,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const reader = body.getReader();
  const parse = createEventParser();
  const decoder = new TextDecoder();
  try {
    while (true) {
      const chunk = await (silenceMs === undefined ? reader.read() : within(silenceMs, reader.read()));
      if (chunk.done) return;
      yield* parse(decoder.decode(chunk.value, { stream: true }));
    }
  } finally {
    // The connection may be gone already; then there is nothing to cancel.
    await reader.cancel().catch(() => undefined);
  }
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
