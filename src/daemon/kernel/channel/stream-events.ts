/** The event table as an endless stream: what is stored first, then what comes; pulled, so a slow reader costs nothing. */
import type { Event } from "../../../protocol/event.ts";
import { pageSize } from "../../../protocol/limits.ts";
import type { Store } from "../../store/store.ts";

export type EventStreamOptions = {
  instance?: string;
  after: number;
  /** False: end after what is stored now. */
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
      // Armed before reading: what is committed after the read resolves it.
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

/** Only events from now on: none is missed once this has resolved. The stream also ends when the daemon stops. */
export async function streamNewEvents(
  { store, closing }: { store: Store; closing: AbortController },
  { instance, signal }: Pick<EventStreamOptions, "instance" | "signal">,
): Promise<AsyncGenerator<Event[]>> {
  const after = await store.lastEvent();
  return streamEvents({ store }, { instance, after, live: true, signal: AbortSignal.any([signal, closing.signal]) });
}
