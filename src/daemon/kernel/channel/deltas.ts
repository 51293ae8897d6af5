/** Text while an agent writes it: passed to current listeners, never stored. */
import type { EventOf } from "../../../protocol/event.ts";

/** With the instance's id, which the event does not contain. */
export type Delta = { instance: string; event: EventOf<"text-delta"> };

export class Deltas {
  readonly #listeners = new Set<(delta: Delta) => void>();

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  publish(delta: Delta): void {
    for (const listener of this.#listeners) listener(delta);
  }

  listen(listener: (delta: Delta) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Calls `listener` with each piece of text from now on; returns a function that stops it. */
export function listenToDeltas({ deltas }: { deltas: Deltas }, listener: (delta: Delta) => void): () => void {
  return deltas.listen(listener);
}
