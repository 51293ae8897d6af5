/** Events as a stream of the browser's own kind: pulled, so that a stalled reader holds up nothing but itself. */
import type { Event } from "../../protocol/event.ts";
import type { Delta } from "../kernel/channel/deltas.ts";
import type { EventStreamOptions } from "../kernel/channel/stream-events.ts";
import type { Operations } from "../kernel/operations.ts";

const heartbeatMs = 15_000;
/** Deltas that wait for a slow reader; older ones are dropped, for they are shown again in the final text. */
const deltasKept = 1_000;

export type StreamOptions = Omit<EventStreamOptions, "signal"> & {
  kernel: Pick<Operations, "streamEvents" | "listenToDeltas">;
  /** Ends when the daemon does. */
  closing: AbortSignal;
  /** The stream is complete with the event for which this is true. */
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
  const waiting: Delta[] = [];
  let news = Promise.withResolvers<"delta">();
  const unlisten = options.kernel.listenToDeltas((delta) => {
    if (options.instance && delta.instance !== options.instance) return;
    if (waiting.push(delta) > deltasKept) waiting.shift();
    news.resolve("delta");
  });
  let beat = startHeartbeat();
  signal.addEventListener("abort", () => beat.resolve("heartbeat"), { once: true });
  const batches = options.kernel.streamEvents({ ...options, signal });
  let batch = batches.next();
  try {
    // Sent at once, so that the reader sees the stream open before anything happens.
    yield ": open\n\n";
    while (!signal.aborted) {
      const happened = await Promise.race([batch, news.promise, beat.promise]);
      if (happened === "delta") {
        news = Promise.withResolvers<"delta">();
        yield waiting.splice(0).map(deltaFrame).join("");
      } else if (happened === "heartbeat") {
        beat = startHeartbeat();
        yield ": still here\n\n";
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
    unlisten();
    beat.cancel();
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
