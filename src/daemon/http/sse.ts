/** Server-sent events, pulled by the reader: a stalled reader delays only itself. */
import type { Event } from "../../protocol/event.ts";
import type { Delta } from "../kernel/channel/deltas.ts";
import type { EventStreamOptions } from "../kernel/channel/stream-events.ts";
import type { Operations } from "../kernel/operations.ts";

const heartbeatMs = 15_000;
/** Deltas kept for a slow reader. Older ones are dropped, because the final text repeats them. */
const maxDeltas = 1_000;

export type StreamOptions = Omit<EventStreamOptions, "signal"> & {
  operations: Pick<Operations, "streamEvents" | "listenToDeltas">;
  /** Aborted when the daemon stops; the stream then ends. */
  closing: AbortSignal;
  /** The stream ends after the first event for which this returns true. */
  isLast?: (event: Event) => boolean;
};

export function eventStream(options: StreamOptions): Response {
  const cancelled = new AbortController();
  const signal = AbortSignal.any([cancelled.signal, options.closing]);
  const frames = toFrames(options, signal);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await frames.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      async cancel() {
        cancelled.abort();
        await frames.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no" },
  });
}

async function* toFrames(options: StreamOptions, signal: AbortSignal): AsyncGenerator<string> {
  const deltas: Delta[] = [];
  let nextDelta = Promise.withResolvers<"delta">();
  const stopListening = options.operations.listenToDeltas((delta) => {
    if (options.instance && delta.instance !== options.instance) return;
    if (deltas.push(delta) > maxDeltas) deltas.shift();
    nextDelta.resolve("delta");
  });
  let heartbeat = startHeartbeat();
  signal.addEventListener("abort", () => heartbeat.resolve("heartbeat"), { once: true });
  const batches = options.operations.streamEvents({ ...options, signal });
  let batch = batches.next();
  try {
    // Sent at once, so that the reader sees the open stream before the first event.
    yield ": open\n\n";
    while (!signal.aborted) {
      const happened = await Promise.race([batch, nextDelta.promise, heartbeat.promise]);
      if (happened === "delta") {
        nextDelta = Promise.withResolvers<"delta">();
        yield deltas.splice(0).map(deltaFrame).join("");
      } else if (happened === "heartbeat") {
        heartbeat = startHeartbeat();
        yield ": heartbeat\n\n";
      } else {
        if (happened.done) return;
        const last = happened.value.findIndex((event) => options.isLast?.(event));
        const events = last === -1 ? happened.value : happened.value.slice(0, last + 1);
        yield events.map(eventFrame).join("");
        if (last !== -1) return;
        batch = batches.next();
      }
    }
  } finally {
    stopListening();
    heartbeat.cancel();
    await batches.return(undefined);
  }
}

function eventFrame(event: Event): string {
  return `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function deltaFrame({ event }: Delta): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function startHeartbeat() {
  const { promise, resolve } = Promise.withResolvers<"heartbeat">();
  const timer = setTimeout(() => resolve("heartbeat"), heartbeatMs);
  return { promise, resolve, cancel: () => clearTimeout(timer) };
}
