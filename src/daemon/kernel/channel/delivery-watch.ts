/** Waits until deliveries are over, with one event reader for any number of waiters. */
import type { Delivery } from "../../../protocol/delivery.ts";
import type { Store } from "../../store/store.ts";
import { streamEvents } from "./stream-events.ts";

/** A delivery to wait for, and where to start reading events. */
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

  /** The delivery once it is done, dead or parked; null if the watch ends first. */
  async ended(awaited: AwaitedDelivery): Promise<Delivery | null> {
    if (this.#signal.aborted) return null;
    const waiter: Waiter = { ...awaited, ...Promise.withResolvers<Delivery | null>() };
    this.#waiters.set(awaited.message, waiter);
    this.#read(awaited.cursor);
    // If it was over before the reader started, no event will come.
    await this.#check(waiter);
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
        if (waiter && waiter.agent === event.agent) await this.#check(waiter);
      }
    }
  }

  async #check(waiter: Waiter): Promise<void> {
    const { message, agent } = waiter;
    const [delivery] = await this.#store.deliveries(this.#instance, { message, agent, limit: 1 });
    if (delivery && !isOver(delivery)) return;
    this.#waiters.delete(message);
    waiter.resolve(delivery ?? null);
  }

  /** The next waiter starts a new reader. */
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

/** A delivery parked until a known time resumes by itself; any other parked delivery waits for a person. */
function isOver({ state, notBefore }: Delivery): boolean {
  return state === "done" || state === "dead" || (state === "parked" && notBefore === null);
}
