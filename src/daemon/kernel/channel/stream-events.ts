/** The event table as a stream: stored events first, then new ones. The reader pulls, so a slow reader uses no memory. */
import type { Event } from "../../../protocol/event.ts";
import { pageSize } from "../../../protocol/limits.ts";
import type { Store } from "../../store/store.ts";

export type EventStreamOptions = {
  instance?: string;
  after: number;
  /** False: ends after the stored events. */
  live: boolean;
  signal: AbortSignal;
};

export async function* streamEvents(
  { store }: { store: Store },
  { instance, after, live, signal }: EventStreamOptions,
): AsyncGenerator<Event[]> {
  let cursor = after;
  let news = Promise.withResolvers<void>();
  const notify = () => news.resolve();
  const unsubscribe = store.onEvents(notify);
  signal.addEventListener("abort", notify);
  try {
    while (!signal.aborted) {
      // Created before reading, so that a commit after the read resolves it.
      news = Promise.withResolvers<void>();
      const events = await store.events({ instance, after: cursor, limit: pageSize });
      const last = events.at(-1);
      if (last) {
        cursor = last.seq;
        yield events;
      } else if (live) await news.promise;
      else return;
    }
  } finally {
    unsubscribe();
    signal.removeEventListener("abort", notify);
  }
}

/** Only events from now on: none is missed after this resolves. The stream also ends when the daemon stops. */
export async function streamNewEvents(
  { store, closing }: { store: Store; closing: AbortController },
  { instance, signal }: Pick<EventStreamOptions, "instance" | "signal">,
): Promise<AsyncGenerator<Event[]>> {
  const after = await store.lastEvent();
  return streamEvents({ store }, { instance, after, live: true, signal: AbortSignal.any([signal, closing.signal]) });
}
