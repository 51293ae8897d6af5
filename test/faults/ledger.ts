/** Tracks which deliveries are open and done, from the event stream alone, across any number of daemons. */
import type { Event } from "../../src/protocol/event.ts";
import type { TestDaemon } from "../fixtures/daemon.ts";

type Waiter = { holds: () => boolean; resolve: () => void };

export class Ledger {
  /** The seq of every event seen, in the order received. */
  readonly seqs: number[] = [];
  readonly dead: string[] = [];
  readonly #open = new Set<string>();
  #waiters: Waiter[] = [];
  #turnsDone = 0;

  /** Continues where the last stream broke off, until this one ends. */
  async follow(daemon: TestDaemon): Promise<void> {
    try {
      for await (const event of daemon.events(this.seqs.at(-1) ?? 0)) this.#enter(event);
    } catch {
      // The daemon was killed: the next stream continues where this one ended.
    }
  }

  /** Resolves when fewer than this many deliveries are open: of all agents, or of one. */
  below(count: number, agent?: string): Promise<void> {
    const open = () => (agent ? [...this.#open].filter((delivery) => delivery.endsWith(`/${agent}`)) : [...this.#open]);
    return this.#until(() => open().length < count);
  }

  /** Resolves when this many more turns have succeeded. */
  turnsDone(count: number): Promise<void> {
    const goal = this.#turnsDone + count;
    return this.#until(() => this.#turnsDone >= goal);
  }

  /** Resolves when nothing is open. A turn is done a moment before the agent it hands off to is woken, so the daemon is asked. */
  async settled(daemon: TestDaemon, target: string, withinMs: number): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      late.reject(new Error(`still open after ${withinMs} ms: ${[...this.#open].slice(0, 20).join(", ")}`));
    }, withinMs);
    try {
      for (;;) {
        await Promise.race([this.below(1), late.promise]);
        const seen = this.seqs.length;
        const { agents } = await daemon.workflow(target);
        if (agents.every(({ inbox }) => inbox.pending + inbox.claimed === 0)) return;
        await Promise.race([this.#until(() => this.seqs.length > seen), late.promise]);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** Checks after each event. */
  #until(holds: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (holds()) resolve();
    else this.#waiters.push({ holds, resolve });
    return promise;
  }

  #enter(event: Event): void {
    if (event.type === "text-delta") return;
    this.seqs.push(event.seq);
    if (event.type === "message") {
      for (const agent of event.data.recipients) if (agent !== "user") this.#open.add(`${event.message}/${agent}`);
    } else if (event.type === "delivery-done") {
      this.#open.delete(`${event.message}/${event.agent}`);
    } else if (event.type === "delivery-dead") {
      this.dead.push(`${event.message}/${event.agent}: ${event.data.reason}`);
    } else if (event.type === "turn-end" && event.data.status === "succeeded") {
      this.#turnsDone++;
    }
    const ready = this.#waiters.filter(({ holds }) => holds());
    this.#waiters = this.#waiters.filter((waiter) => !ready.includes(waiter));
    for (const { resolve } of ready) resolve();
  }
}
