/** Tells when messages have been dealt with: one reader of the events, however many wait. */
import type { Delivery } from "../../../protocol/delivery.ts";
import type { Store } from "../../store/store.ts";
import { streamEvents } from "./stream-events.ts";

/** A message that somebody waits for, and its place among the events. */
export type AwaitedDelivery = { message: string; agent: string; cursor: number };

type Waiter = AwaitedDelivery & PromiseWithResolvers<Delivery | null>;

export class DeliveryWatch {
  readonly #store: Store;
  readonly #instance: string;
  readonly #signal: AbortSignal;
  readonly #waiters = new Map<string, Waiter>();
  #reading = false;

  constructor(store: Store, instance: string, signal: AbortSignal) {
    this.#store = store;
    this.#instance = instance;
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#giveUp(), { once: true });
  }

  /** The delivery once it is done, dead or parked; null when the watch has ended before. */
  async ended(awaited: AwaitedDelivery): Promise<Delivery | null> {
    if (this.#signal.aborted) return null;
    const waiter: Waiter = { ...awaited, ...Promise.withResolvers<Delivery | null>() };
    this.#waiters.set(awaited.message, waiter);
    this.#read(awaited.cursor);
    // What was over before the reader came to it tells no event any more.
    await this.#look(waiter);
    return await waiter.promise;
  }

  #read(after: number): void {
    if (this.#reading) return;
    this.#reading = true;
    this.#readEvents(after).catch((error: unknown) => this.#giveUp(error));
  }

  async #readEvents(after: number): Promise<void> {
    const range = { instance: this.#instance, after, live: true, signal: this.#signal };
    for await (const events of streamEvents({ store: this.#store }, range)) {
      for (const event of events) {
        if (!("message" in event) || !("agent" in event)) continue;
        const waiter = this.#waiters.get(event.message);
        if (waiter && waiter.agent === event.agent) await this.#look(waiter);
      }
    }
  }

  async #look(waiter: Waiter): Promise<void> {
    const { message, agent } = waiter;
    const [delivery] = await this.#store.deliveries(this.#instance, { message, agent, limit: 1 });
    if (delivery && !isOver(delivery)) return;
    this.#waiters.delete(message);
    waiter.resolve(delivery ?? null);
  }

  /** Whoever comes later begins to read anew. */
  #giveUp(error?: unknown): void {
    this.#reading = false;
    const waiters = [...this.#waiters.values()];
    this.#waiters.clear();
    for (const waiter of waiters) {
      if (error === undefined || this.#signal.aborted) waiter.resolve(null);
      else waiter.reject(error);
    }
  }
}

/** What is parked until a known time goes on by itself; all else that is parked waits for a person. */
function isOver({ state, notBefore }: Delivery): boolean {
  return state === "done" || state === "dead" || (state === "parked" && notBefore === null);
}
