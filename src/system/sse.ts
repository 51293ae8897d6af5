/** Parses server-sent events from a response body, however it is split into chunks. */
import { createParser } from "eventsource-parser";

export type ServerSentEvent = { id: string | undefined; data: string };

/** Limit for one event. The largest is a run's result, with its output. */
const maxBufferedChars = 64 * 1024 * 1024;

/** Creates a parser that takes decoded text and returns the events that it completes. */
export function createEventParser(): (text: string) => ServerSentEvent[] {
  let complete: ServerSentEvent[] = [];
  const parser = createParser({
    maxBufferSize: maxBufferedChars,
    onEvent: ({ id, data }) => complete.push({ id, data }),
    onError(error) {
      // Unknown fields are ignored.
      if (error.type === "max-buffer-size-exceeded") throw new Error("an event from the daemon is too large");
    },
  });
  return (text) => {
    complete = [];
    parser.feed(text);
    return complete;
  };
}

/** The events of a response, until it ends. Fails if nothing, not even a heartbeat, arrives for `maxSilenceMs`, if set. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  maxSilenceMs?: number,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const reader = body.getReader();
  const parse = createEventParser();
  const decoder = new TextDecoder();
  try {
    while (true) {
      const chunk = await (maxSilenceMs === undefined ? reader.read() : withTimeout(maxSilenceMs, reader.read()));
      if (chunk.done) return;
      yield* parse(decoder.decode(chunk.value, { stream: true }));
    }
  } finally {
    // If the connection is gone already, there is nothing to cancel.
    await reader.cancel().catch(() => undefined);
  }
}

async function withTimeout<Value>(limitMs: number, promise: Promise<Value>): Promise<Value> {
  let timer: Timer | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no data for ${limitMs / 1_000} s`)), limitMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
