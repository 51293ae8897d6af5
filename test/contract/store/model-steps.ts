/** The steps of the model test: each is executed on the real store and predicted by the model. */
import { expect } from "bun:test";
import * as fc from "fast-check";
import type { Claimed, Draft } from "../../../src/daemon/store/data.ts";
import { codeOf } from "./bench.ts";
import { fencedOperations } from "./fenced-operations.ts";
import { type Agent, agents, concurrency, delaysMs, type Group } from "./model.ts";
import type { World } from "./model-world.ts";
import { draft, ids } from "./team.ts";

/** All random values that a step may need; each step uses some of them. */
type Choice = { agent: Agent; other: Agent; pick: number };
export type Step = Choice & { action: string };

type Action = { weight: number; perform(world: World, choice: Choice): Promise<unknown> };
/** Always the same, so that a later attempt repeats what an earlier one said. */
const words = "over to you";

/** An action of the running turn; if there is none, a turn is started instead. */
type TurnAction = {
  weight: number;
  perform(world: World, turn: { agent: Agent; claim: Claimed; group: Group }, choice: Choice): Promise<unknown>;
};

const turnActions: Record<string, TurnAction> = {
  check: {
    weight: 3,
    perform: async ({ store, model, clock }, { agent, claim }) => {
      model.handOver(agent, clock.now());
      const open = model.held(agent).filter(({ acked }) => !acked);
      expect(ids(await store.checkInbox(claim))).toEqual(open.map(({ message }) => message));
    },
  },
  ack: {
    weight: 4,
    perform: async ({ store, model }, { agent, claim }, { pick }) => {
      const held = model.held(agent);
      const owed = held[pick % held.length]!;
      expect(ids(await store.ack(claim, { messages: [owed.message] }))).toEqual([owed.message]);
      model.ack(agent, owed);
    },
  },
  send: {
    weight: 8,
    perform: async ({ store, model }, { agent, claim, group }, { other }) => {
      const to = other === agent ? nextTo(agent) : other;
      const said = group.sent.find((sent) => sent.to === to && sent.fence < claim.fence && sent.echoed < claim.fence);
      const { message, repeated } = await store.appendFrom(claim, draft(agent, words, { mentions: [to] }));
      expect(repeated ? message.id : null).toBe(said ? said.message : null);
      if (said) {
        said.echoed = claim.fence;
        return;
      }
      group.sent.push({ to, message: message.id, fence: claim.fence, echoed: -1 });
      model.write({ id: message.id, sender: agent, high: false, asked: false }, [to]);
    },
  },
  succeed: {
    weight: 4,
    perform: async (world, { agent, claim, group }, { other }) => {
      const final = { ...draft(agent, words, { mentions: other === agent ? [] : [other] }), answers: false };
      await world.team.succeed(claim, words, { final });
      world.lose(agent);
      world.model.succeed(agent);
      const to = other === agent || group.sent.some((sent) => sent.to === other) ? [] : [other];
      const [message] = await world.store.messages(world.team.id, "client", { limit: 1, newest: true });
      expect(message).toMatchObject({ kind: to.length === 0 ? "log" : "message", recipients: to, turn: claim.turn });
      if (to.length > 0) group.sent.push({ to: other, message: message!.id, fence: claim.fence, echoed: -1 });
      world.model.write({ id: message!.id, sender: agent, high: false, asked: false }, to);
    },
  },
  "fail for now": {
    weight: 4,
    perform: async (world, { agent, claim }) => {
      await world.team.fail(claim, "transient", { delaysMs });
      world.lose(agent);
      world.model.fail(agent, "transient", world.clock.now());
    },
  },
  "fail permanently": {
    weight: 2,
    perform: async (world, { agent, claim }) => {
      await world.team.fail(claim, "permanent", { delaysMs });
      world.lose(agent);
      world.model.fail(agent, "permanent", world.clock.now());
    },
  },
  park: {
    weight: 1,
    perform: async (world, { agent, claim }) => {
      await world.team.fail(claim, "transient", { park: { kind: "limit", reason: "over the limit" } });
      world.lose(agent);
      world.model.park(agent);
    },
  },
  release: {
    weight: 2,
    perform: async (world, { agent, claim }) => {
      await world.store.release(claim, "shutting down");
      world.lose(agent);
      world.model.release(agent);
    },
  },
};

const actions: Record<string, Action> = {
  say: { weight: 6, perform: (world, { agent }) => write(world, "user", [agent]) },
  "say to all": { weight: 2, perform: (world) => write(world, "user", [...agents]) },
  ask: { weight: 2, perform: (world, { agent }) => write(world, "user", [agent], { asked: true }) },
  tell: { weight: 4, perform: (world, { agent, other }) => write(world, other, agent === other ? [] : [agent]) },
  claim: { weight: 10, perform: claimNext },
  wait: {
    weight: 4,
    perform: async ({ clock }, { pick }) => clock.advance([1, 500, delaysMs[0]!, delaysMs[1]!][pick % 4]!),
  },
  stop: {
    weight: 1,
    perform: async (world, { agent }) => {
      await world.store.setStopped(world.team.id, agent, true);
      world.lose(agent);
      world.model.stop(agent);
    },
  },
  start: {
    weight: 2,
    perform: async ({ store, team, model }, { agent }) => {
      await store.setStopped(team.id, agent, false);
      model.start(agent);
    },
  },
  redrive: {
    weight: 2,
    perform: async ({ store, team, model }, { agent }) => {
      const { changed } = await store.redrive(team.id, { agent });
      expect(ids(changed).sort()).toEqual(
        model
          .free(agent, "dead")
          .map(({ message }) => message)
          .sort(),
      );
    },
  },
  resume: {
    weight: 2,
    perform: async ({ store, team, model }, { agent }) => {
      const { changed } = await store.resume(team.id, { agent });
      expect(ids(changed).sort()).toEqual(
        model
          .free(agent, "parked")
          .map(({ message }) => message)
          .sort(),
      );
    },
  },
  discard: {
    weight: 1,
    perform: async ({ store, team, model }, { pick }) => {
      const owed = model.owed[pick % Math.max(1, model.owed.length)];
      if (!owed) return;
      const { agent, message } = owed;
      const code = await codeOf(store.discard(team.id, { agent, messages: [message] }));
      expect(code).toBe(owed.state === "claimed" ? "conflict" : "none");
      if (owed.state !== "claimed") Object.assign(owed, { state: "done", notBefore: 0 });
    },
  },
  crash: {
    weight: 4,
    perform: async (world) => {
      await world.store.recover();
      for (const agent of agents) world.lose(agent);
      world.model.crash();
    },
  },
  "late worker": {
    weight: 3,
    perform: async ({ store, stale }, { pick }) => {
      const claim = stale[pick % Math.max(1, stale.length)];
      if (!claim) return;
      const operations = Object.entries(fencedOperations);
      const [name, operation] = operations[pick % operations.length]!;
      const before = await store.lastEvent();
      expect(`${name}: ${await codeOf(operation(store, claim))}`).toBe(`${name}: fenced`);
      expect(await store.lastEvent()).toBe(before);
    },
  },
};

for (const [name, action] of Object.entries(turnActions)) {
  actions[name] = {
    weight: action.weight,
    perform: async (world, choice) => {
      const turns = [...world.claims];
      const [agent, claim] = turns[choice.pick % Math.max(1, turns.length)] ?? [];
      if (!agent || !claim) return claimNext(world, choice);
      const { group } = world.model.running.get(agent)!;
      await action.perform(world, { agent, claim, group }, choice);
    },
  };
}

/** Usually the same agent, so that much happens to the same deliveries; the others compete for its slot. */
const anyAgent = fc.constantFrom<Agent[]>("alice", "alice", "alice", "bob", "carol");
export const anyStep: fc.Arbitrary<Step> = fc.record({
  action: fc.oneof(...Object.entries(actions).map(([name, { weight }]) => ({ weight, arbitrary: fc.constant(name) }))),
  agent: anyAgent,
  other: fc.constantFrom(...agents),
  pick: fc.nat(59),
});

export async function perform(world: World, { action, ...choice }: Step): Promise<void> {
  await actions[action]!.perform(world, choice);
}

async function write(world: World, sender: string, to: Agent[], more: Partial<Draft> = {}): Promise<void> {
  const { message } = await world.team.tell(sender, "x", to, more);
  const { id, priority } = message;
  expect(message.recipients.toSorted()).toEqual(to);
  world.model.write({ id, sender, high: priority === "high", asked: more.asked === true }, to);
}

function nextTo(agent: Agent): Agent {
  return agents[(agents.indexOf(agent) + 1) % agents.length]!;
}

/** Checks that the claim is granted for exactly the deliveries that are next, or refused for the right reason. */
async function claimNext({ team, model, clock, claims }: World, { agent }: Choice): Promise<void> {
  const claim = await team.tryClaim(agent);
  if (model.stopped.has(agent)) return expect(claim).toEqual({ wait: "stopped" });
  if (model.running.has(agent)) return expect(claim).toEqual({ wait: "busy" });
  const batch = model.nextBatch(agent, clock.now());
  if (batch.length === 0) {
    const pending = model.of(agent, "pending").map(({ notBefore }) => notBefore);
    return expect(claim).toEqual(pending.length === 0 ? { wait: "idle" } : { wait: "until", at: Math.min(...pending) });
  }
  if (model.running.size >= concurrency) return expect(claim).toEqual({ wait: "slots" });
  if ("wait" in claim) throw new Error(`${agent} got ${claim.wait} instead of a turn`);
  expect(ids(claim.deliveries)).toEqual(batch.map(({ message }) => message));
  const group = batch[0]!.group;
  if (group?.turn) expect([claim.turn, claim.attempt]).toEqual([group.turn, group.attempt + 1]);
  else expect(model.turns).not.toContain(claim.turn);
  model.begin(agent, batch, claim);
  claims.set(agent, claim);
}
