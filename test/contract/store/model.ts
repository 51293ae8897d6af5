/** A plain model of delivery: the state of each delivery and each turn after every step. */
import type { DeliveryState } from "../../../src/protocol/delivery.ts";

export const agents = ["alice", "bob", "carol"] as const;
export type Agent = (typeof agents)[number];
/** Delays before attempts 2 and 3. */
export const delaysMs = [1_000, 2_000];
export const concurrency = 2;
/** From this crash on with the same delivery claimed, each counts as an attempt. */
const guiltyCrash = 3;

/** What a turn has said: an exact repeat by a later attempt returns the earlier message, once per attempt. */
export type Sent = { to: Agent; message: string; fence: number; echoed: number };

/** Deliveries that belong together, because a turn was started for them. */
export type Group = { turn: string | null; attempt: number; sent: Sent[] };

export type Owed = {
  agent: Agent;
  message: string;
  seq: number;
  high: boolean;
  person: boolean;
  asked: boolean;
  state: DeliveryState;
  attempts: number;
  crashes: number;
  notBefore: number;
  acked: boolean;
  group: Group | null;
  parkedFor: "stopped" | "limit" | null;
};

export type Running = { group: Group; takesMore: boolean };

export class Model {
  readonly owed: Owed[] = [];
  readonly running = new Map<Agent, Running>();
  readonly stopped = new Set<Agent>();
  readonly turns = new Set<string>();
  messages = 0;

  write(message: { id: string; sender: string; high: boolean; asked: boolean }, to: Agent[]): void {
    this.messages += 1;
    for (const agent of to) {
      const parked = this.stopped.has(agent);
      this.owed.push({
        agent,
        message: message.id,
        seq: this.messages,
        high: message.high,
        person: message.sender === "user",
        asked: message.asked,
        state: parked ? "parked" : "pending",
        attempts: 0,
        crashes: 0,
        notBefore: 0,
        acked: false,
        group: null,
        parkedFor: parked ? "stopped" : null,
      });
    }
  }

  of(agent: Agent, state: DeliveryState): Owed[] {
    const found = this.owed.filter((owed) => owed.agent === agent && owed.state === state);
    return found.sort((a, b) => Number(b.high) - Number(a.high) || a.seq - b.seq);
  }

  held(agent: Agent): Owed[] {
    return this.of(agent, "claimed");
  }

  /** The deliveries of the agent's next turn: the first one that is due decides. */
  nextBatch(agent: Agent, now: number): Owed[] {
    const pending = this.of(agent, "pending");
    const due = pending.filter((owed) => owed.notBefore <= now);
    const [first] = due;
    if (!first) return [];
    if (first.group) return pending.filter((owed) => owed.group === first.group);
    if (first.asked) return [first];
    return due.filter((owed) => owed.group === null && !owed.asked);
  }

  begin(agent: Agent, batch: Owed[], claim: { turn: string; attempt: number }): void {
    const again = batch[0]?.group;
    const group = again ?? { turn: null, attempt: 0, sent: [] };
    group.turn = claim.turn;
    group.attempt = claim.attempt;
    this.turns.add(claim.turn);
    this.running.set(agent, { group, takesMore: !again && !batch.some((owed) => owed.asked) });
    this.#take(group, batch);
  }

  /** Adds the messages that have arrived since, if the turn can take more. */
  handOver(agent: Agent, now: number): void {
    const { group, takesMore } = this.running.get(agent)!;
    if (!takesMore) return;
    const arrived = this.of(agent, "pending").filter((owed) => !owed.group && !owed.asked && owed.notBefore <= now);
    this.#take(group, arrived);
  }

  ack(agent: Agent, owed: Owed): void {
    owed.acked = true;
    if (this.held(agent).length > 1 && !owed.person && !owed.asked) owed.state = "done";
  }

  succeed(agent: Agent): void {
    for (const owed of this.held(agent)) owed.state = "done";
    this.running.delete(agent);
  }

  fail(agent: Agent, kind: "transient" | "permanent", now: number): void {
    const held = this.held(agent);
    const { group } = this.running.get(agent)!;
    this.running.delete(agent);
    for (const owed of held) {
      owed.acked = false;
      owed.attempts += 1;
      const delay = kind === "permanent" ? (held.length > 1 ? 0 : undefined) : delaysMs[owed.attempts - 1];
      if (delay === undefined) this.#die(owed);
      else this.#putBack(owed, now + delay);
      if (held.length > 1) owed.group = split(group);
    }
  }

  park(agent: Agent): void {
    for (const owed of this.held(agent)) this.#setParked(owed, "limit");
    this.running.delete(agent);
  }

  release(agent: Agent): void {
    for (const owed of this.held(agent)) this.#putBack(owed, 0);
    this.running.delete(agent);
  }

  crash(): void {
    for (const [agent, { group }] of this.running) {
      const held = this.held(agent);
      for (const owed of held) {
        owed.crashes += 1;
        this.#putBack(owed, 0);
      }
      if (!held.some((owed) => owed.crashes >= guiltyCrash)) continue;
      for (const owed of held) {
        if (held.length > 1) owed.group = split(group);
        if (owed.crashes < guiltyCrash) continue;
        owed.attempts += 1;
        if (owed.attempts > delaysMs.length) this.#die(owed);
      }
    }
    this.running.clear();
  }

  stop(agent: Agent): void {
    this.stopped.add(agent);
    for (const owed of [...this.of(agent, "pending"), ...this.held(agent)]) this.#setParked(owed, "stopped");
    this.running.delete(agent);
  }

  start(agent: Agent): void {
    this.stopped.delete(agent);
    for (const owed of this.of(agent, "parked")) if (owed.parkedFor === "stopped") this.#putBack(owed, 0);
  }

  /** After a person resumes a delivery, its attempts start over. */
  free(agent: Agent, state: "dead" | "parked"): Owed[] {
    if (this.stopped.has(agent)) return [];
    const freed = this.of(agent, state);
    for (const owed of freed) {
      this.#putBack(owed, 0);
      owed.attempts = 0;
      owed.crashes = 0;
    }
    return freed;
  }

  #take(group: Group, batch: Owed[]): void {
    for (const owed of batch) {
      owed.state = "claimed";
      owed.group = group;
      owed.notBefore = 0;
      owed.acked = false;
    }
  }

  #putBack(owed: Owed, notBefore: number): void {
    owed.state = "pending";
    owed.notBefore = notBefore;
    owed.acked = false;
    owed.parkedFor = null;
  }

  #setParked(owed: Owed, why: "stopped" | "limit"): void {
    owed.state = "parked";
    owed.notBefore = 0;
    owed.acked = false;
    owed.parkedFor = why;
  }

  /** A dead letter is announced by a system message, which takes a seq in the channel. */
  #die(owed: Owed): void {
    owed.state = "dead";
    owed.notBefore = 0;
    this.messages += 1;
  }
}

/** A separate turn for one delivery of a batch; it inherits what the batch has said. */
function split(group: Group): Group {
  return { turn: null, attempt: group.attempt, sent: [...group.sent] };
}
