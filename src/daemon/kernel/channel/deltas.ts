/** Text as it is being written: passed on to whoever listens at this moment, and kept nowhere. */
import type { EventOf } from "../../../protocol/event.ts";

/** `workflow` is the instance's id, which the event itself does not carry. */
export type Delta = { instance: string; event: EventOf<"text-delta"> };

export class Deltas {
  readonly #listeners = new Set<(delta: Delta) => void>();

  get heard(): boolean {
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

/** Calls `listener` with each piece of text from now on; returns the function that ends this. */
export function listenToDeltas({ deltas }: { deltas: Deltas }, listener: (delta: Delta) => void): () => void {
  return deltas.listen(listener);
}
