/** The real store next to its model, and the comparison of the two after every step. */
import { expect } from "bun:test";
import type { Delivery } from "../../../src/protocol/delivery.ts";
import type { Claimed } from "../../../src/daemon/store/data.ts";
import type { Store } from "../../../src/daemon/store/store.ts";
import type { OpenStore } from "./bench.ts";
import { Clock } from "./clock.ts";
import { type Agent, agents, concurrency, Model, type Owed } from "./model.ts";
import { openTeam, type Team } from "./team.ts";

const everything = 10_000;

export class World {
  readonly model = new Model();
  readonly store: Store;
  readonly clock: Clock;
  readonly team: Team;
  readonly claims = new Map<Agent, Claimed>();
  readonly stale: Claimed[] = [];
  readonly #done = new Map<string, number>();
  #cursor = 0;
  #lastSeq = 0;

  private constructor(store: Store, clock: Clock, team: Team) {
    this.store = store;
    this.clock = clock;
    this.team = team;
  }

  static async open(openStore: OpenStore): Promise<World> {
    const clock = new Clock();
    const store = await openStore({ now: clock.now });
    return new World(store, clock, await openTeam(store, clock, [...agents], { concurrency }));
  }

  /** The claim is void from now on. */
  lose(agent: Agent): void {
    const claim = this.claims.get(agent);
    if (claim) this.stale.push(claim);
    this.claims.delete(agent);
  }

  /** Checks every invariant of the store, and compares every delivery with the model. */
  async check(): Promise<void> {
    await this.#streamEvents();
    const deliveries = await this.store.deliveries(this.team.id, { limit: everything });
    const real = deliveries.map((delivery) => this.#describe(delivery));
    const modelled = this.model.owed.map((owed) => describe(owed, owed.state === "done" ? 1 : 0, this.clock.now()));
    expect(real.sort()).toEqual(modelled.sort());
    expect((await this.store.counts()).turns).toBe(this.model.running.size);
    expect(this.model.running.size).toBeLessThanOrEqual(concurrency);
    expect(await this.store.quiescent(this.team.id)).toBe(this.#modelIsQuiescent());
    expect((await this.#owedNow()).sort()).toEqual(this.#modelOwedNow().sort());
  }

  /** The channel's numbers have no gaps, and every end of a delivery is counted. */
  async #streamEvents(): Promise<void> {
    for (const event of await this.store.events({ after: this.#cursor, limit: everything })) {
      expect(event.seq).toBeGreaterThan(this.#cursor);
      this.#cursor = event.seq;
      if (event.type === "message") expect(event.data.seq).toBe(++this.#lastSeq);
      if (event.type !== "delivery-done") continue;
      const key = `${event.message} for ${event.agent}`;
      this.#done.set(key, (this.#done.get(key) ?? 0) + 1);
    }
    expect(this.#lastSeq).toBe(this.model.messages);
  }

  #describe({ message, notBefore, ...delivery }: Delivery): string {
    const timesDone = this.#done.get(`${message.id} for ${delivery.agent}`) ?? 0;
    return describe({ ...delivery, seq: message.seq, notBefore: notBefore ?? 0 }, timesDone, this.clock.now());
  }

  async #owedNow(): Promise<string[]> {
    const owed = await this.store.owed();
    return owed.map(({ agent, dueAt }) => `${agent} at ${Math.max(dueAt, this.clock.now())}`);
  }

  #modelOwedNow(): string[] {
    return agents.flatMap((agent) => {
      const pending = this.model.of(agent, "pending").map((owed) => owed.notBefore);
      return pending.length === 0 ? [] : [`${agent} at ${Math.max(Math.min(...pending), this.clock.now())}`];
    });
  }

  #modelIsQuiescent(): boolean {
    return !this.model.owed.some(({ state }) => state === "pending" || state === "claimed");
  }
}

type Shown = Pick<Owed, "seq" | "state" | "attempts" | "notBefore" | "acked"> & { agent: string };

function describe({ agent, seq, state, attempts, notBefore, acked }: Shown, timesDone: number, now: number): string {
  const due = state === "pending" && notBefore > now ? `, due at ${notBefore}` : "";
  const hidden = state === "claimed" && acked ? ", acked" : "";
  return `${seq} for ${agent}: ${state} after ${attempts}${due}${hidden}, done ${timesDone} times`;
}
