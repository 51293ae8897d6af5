/** Watches time: no work waits needlessly, no worker keeps a turn that was taken away, and no lane asks the store in a loop. */
import type { Event } from "../../src/protocol/event.ts";
import { type World, currentInstance } from "./world.ts";

/** How long anything that is due can take, apart from the commits on the way: a worker may have to end first. */
const lateAfterMs = 250;
const commitsOnTheWay = 3;
/** A lane that found the store unavailable tries again after a second. */
const troubleMs = 1_000;
/** How many operations an agent's lane can ask of the store in one second. */
const claimsPerSecond = 100;

export class Watch {
  readonly #world: World;
  readonly #claims = new Map<string, number[]>();
  /** Since when each agent has been free to start a turn. */
  readonly #freeSince = new Map<string, number>();
  /** Since when there has been a place under `concurrency`. */
  #placeSince = 0;
  /** No turn starts before the kickoff. */
  #isSettingUp = false;
  #workingSince = 0;
  /** Since when an open run has had no open work. */
  #quietSince: number | undefined;
  /** Workers without a turn, and since when. */
  readonly #overdue = new Map<object, number>();

  constructor(world: World) {
    this.#world = world;
  }

  get #limitMs(): number {
    return lateAfterMs + commitsOnTheWay * this.#world.disk.delayMs;
  }

  countClaim(agent: string): void {
    const now = this.#world.timeline.monotonic;
    const recent = (this.#claims.get(agent) ?? []).filter((at) => at > now - 1_000);
    this.#claims.set(agent, [...recent, now]);
    if (recent.length > claimsPerSecond) this.#world.violate(`${agent} claims ${recent.length} times in a second`);
  }

  /** Called with the events of a commit before the ledger applies them, so the ledger still shows the previous state. */
  beforeEntry(): void {
    const { ledger, timeline, disk, troubleAt, life } = this.#world;
    if (!life || disk.fullness > 0 || disk.outage > 0) return;
    const quietMs = timeline.monotonic - Math.max(this.#quietSince ?? Infinity, troubleAt + troubleMs);
    if (quietMs > this.#limitMs) this.#world.violate(`the run could have closed ${quietMs} ms ago`);
    if (!ledger.hasPlace || this.#isSettingUp) return;
    for (const { agent, message, dueAt } of ledger.except("done", "dead", "parked", "claimed")) {
      if (ledger.isBusy(agent)) continue;
      const since = Math.max(
        dueAt,
        this.#freeSince.get(agent) ?? 0,
        this.#placeSince,
        this.#workingSince,
        troubleAt + troubleMs,
      );
      const waitedMs = timeline.monotonic - since;
      if (waitedMs > this.#limitMs) this.#world.violate(`${agent} could have begun ${message} ${waitedMs} ms ago`);
    }
  }

  afterEntry(events: Event[], hadPlace: boolean): void {
    const { ledger, timeline, workers, life } = this.#world;
    const now = timeline.monotonic;
    for (const event of events) if (event.type === "turn-end") this.#freeSince.set(event.agent, now);
    if (!hadPlace && ledger.hasPlace) this.#placeSince = now;
    if (this.#isSettingUp || events.some(({ type }) => type === "workflow-start")) this.#lookAtPhase();
    this.#quietSince = this.#isQuiet() ? (this.#quietSince ?? now) : undefined;
    for (const worker of workers) {
      if (!worker.attempt || worker.life !== life || ledger.isRunning(worker.attempt)) continue;
      const since = this.#overdue.get(worker) ?? now;
      this.#overdue.set(worker, since);
      if (now - since <= this.#limitMs) continue;
      this.#world.violate(`${worker.attempt.agent} still works ${now - since} ms after its turn was taken away`);
    }
  }

  #lookAtPhase(): void {
    this.#isSettingUp = !this.#world.instance || currentInstance(this.#world).phase === "setup";
    this.#workingSince = this.#world.timeline.monotonic;
  }

  #isQuiet(): boolean {
    if (!this.#world.instance || !this.#world.ledger.isQuiet) return false;
    const { state, phase } = currentInstance(this.#world);
    return state === "running" && phase === "working";
  }
}
