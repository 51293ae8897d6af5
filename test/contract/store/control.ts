/** Contract: what people do to deliveries and agents: stop, start, redrive, resume, discard. */
import { describe, expect } from "bun:test";
import { type Behaviour, codeOf } from "./bench.ts";
import { contents, delaysMs, ids, leaseMs, type Team } from "./team.ts";

const parkLimit = { kind: "limit" as const, reason: "over the limit" };

async function park(team: Team, agent: string): Promise<void> {
  await team.fail(await team.claim(agent), "transient", { park: parkLimit });
}

export function control(it: Behaviour): void {
  describe("setStopped", () => {
    it("parks the agent's pending and claimed deliveries, uncounted, and no others", async ({ store, team }) => {
      const review = await team();
      const held = await review.say("held", ["alice", "bob"]);
      await review.claim("alice");
      const waiting = await review.say("waiting", ["alice"]);
      expect(await store.setStopped(review.id, "alice", true)).toEqual({ wake: [] });
      for (const message of [held, waiting]) {
        expect(await review.delivery(message, "alice")).toMatchObject({
          state: "parked",
          parkReason: "stopped",
          attempts: 0,
        });
      }
      expect(await review.state(held, "bob")).toBe("pending");
      expect(await review.eventsOfType("work-parked")).toHaveLength(2);
      expect(await store.counts()).toMatchObject({ turns: 0 });
    });

    it("undone frees what it parked; the same batch runs again as the same turn", async ({ store, team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      await review.say("two", ["alice"]);
      const first = await review.claim("alice");
      await store.setStopped(review.id, "alice", true);
      const later = await review.say("later", ["alice"]);
      expect(await store.setStopped(review.id, "alice", false)).toEqual({ wake: ["alice"] });
      expect(await review.state(later, "alice")).toBe("pending");
      const second = await review.claim("alice");
      expect(second).toMatchObject({ turn: first.turn, attempt: 2 });
      expect(contents(second.deliveries)).toEqual(["one", "two"]);
      await review.succeed(second);
      expect(contents((await review.claim("alice")).deliveries)).toEqual(["later"]);
    });

    it("undone leaves what was parked for another reason, or is dead", async ({ store, team }) => {
      const review = await team();
      const parked = await review.say("parked", ["alice"]);
      await park(review, "alice");
      const dead = await review.say("dead", ["alice"]);
      await review.killDelivery("alice");
      await store.setStopped(review.id, "alice", true);
      expect(await store.setStopped(review.id, "alice", false)).toEqual({ wake: [] });
      expect(await review.delivery(parked, "alice")).toMatchObject({ state: "parked", parkReason: "limit" });
      expect(await review.state(dead, "alice")).toBe("dead");
    });

    it("undone in a workflow that is not running makes nothing pending", async ({ store, team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      await store.setStopped(review.id, "alice", true);
      await store.endRun(review.id, { status: "stopped", exitCode: 130, reason: null });
      expect(await store.setStopped(review.id, "alice", false)).toEqual({ wake: [] });
      expect(await review.deliveries({ states: ["pending"] })).toEqual([]);
    });

    it("undone after its workflow was stopped and started frees what it parked before", async ({ store, team }) => {
      const review = await team(undefined, { mode: "start" });
      await store.setStopped(review.id, "alice", true);
      const sent = await review.say("one", ["alice"]);
      await store.endRun(review.id, { status: "stopped", exitCode: 130, reason: null });
      await store.reopen(review.id, "start", ["stopped", "not-running"]);
      expect(await review.state(sent, "alice")).toBe("parked");
      expect(await store.setStopped(review.id, "alice", false)).toEqual({ wake: ["alice"] });
      expect(await review.state(sent, "alice")).toBe("pending");
    });

    it("keeps a retry's attempts", async ({ store, team, clock }) => {
      const review = await team();
      const sent = await review.say("one", ["alice"]);
      const first = await review.claim("alice");
      await review.fail(first);
      await store.setStopped(review.id, "alice", true);
      await store.setStopped(review.id, "alice", false);
      expect(await review.delivery(sent, "alice")).toMatchObject({ state: "pending", attempts: 1 });
      clock.advance(delaysMs[0]!);
      expect(await review.claim("alice")).toMatchObject({ turn: first.turn });
    });
  });

  describe("redrive", () => {
    it("makes dead letters pending again, with all their attempts", async ({ store, team, clock }) => {
      const review = await team();
      const sent = await review.say("poison", ["alice"]);
      await review.killDelivery("alice");
      const { changed, wake } = await store.redrive(review.id, {});
      expect(changed).toMatchObject([{ agent: "alice", state: "pending", message: { id: sent.message.id } }]);
      expect(wake).toEqual(["alice"]);
      expect(await review.eventsOfType("work-resumed")).toMatchObject([
        { agent: "alice", message: sent.message.id, data: { by: "redrive" } },
      ]);
      expect((await review.fail(await review.claim("alice"))).retryAt).toBe(clock.now() + delaysMs[0]!);
      clock.advance(delaysMs[0]!);
      await review.succeed(await review.claim("alice"));
      expect(await review.state(sent, "alice")).toBe("done");
    });

    it("affects only dead letters of the given agent and messages", async ({ store, team }) => {
      const review = await team();
      const dead = [];
      for (const agent of ["alice", "bob"]) {
        for (const text of ["one", "two"]) {
          dead.push(await review.say(`${text} for ${agent}`, [agent]));
          await review.killDelivery(agent);
        }
      }
      const parked = await review.say("parked", ["alice"]);
      await park(review, "alice");
      const first = await store.redrive(review.id, { agent: "alice", messages: [dead[1]!.message.id] });
      expect(contents(first.changed)).toEqual(["two for alice"]);
      const second = await store.redrive(review.id, { agent: "bob" });
      expect(contents(second.changed).sort()).toEqual(["one for bob", "two for bob"]);
      expect((await store.redrive(review.id, { messages: [dead[1]!.message.id] })).changed).toEqual([]);
      expect(await review.state(dead[0]!, "alice")).toBe("dead");
      expect(await review.state(parked, "alice")).toBe("parked");
    });

    it("starts nothing for a stopped agent", async ({ store, team }) => {
      const review = await team();
      const sent = await review.say("poison", ["alice"]);
      await review.killDelivery("alice");
      await store.setStopped(review.id, "alice", true);
      expect((await store.redrive(review.id, {})).wake).toEqual([]);
      expect(await review.state(sent, "alice")).not.toBe("pending");
      expect(await store.quiescent(review.id)).toBe(true);
    });
  });

  describe("resume", () => {
    it("makes parked deliveries pending again", async ({ store, team }) => {
      const review = await team();
      const sent = await review.say("one", ["alice"]);
      await park(review, "alice");
      const { changed, wake } = await store.resume(review.id, {});
      expect(changed).toMatchObject([{ state: "pending", parkReason: null, message: { id: sent.message.id } }]);
      expect(wake).toEqual(["alice"]);
      expect(await review.eventsOfType("work-resumed")).toMatchObject([{ data: { by: "resume" } }]);
      await review.succeed(await review.claim("alice"));
      expect(await review.state(sent, "alice")).toBe("done");
    });

    it("affects only parked deliveries of the given agent and messages", async ({ store, team }) => {
      const review = await team();
      const parked = [];
      for (const agent of ["alice", "bob"]) {
        for (const text of ["one", "two"]) {
          parked.push(await review.say(`${text} for ${agent}`, [agent]));
          await park(review, agent);
        }
      }
      const dead = await review.say("dead", ["alice"]);
      await review.killDelivery("alice");
      const first = await store.resume(review.id, { agent: "alice", messages: [parked[1]!.message.id] });
      expect(contents(first.changed)).toEqual(["two for alice"]);
      const second = await store.resume(review.id, { agent: "bob" });
      expect(contents(second.changed).sort()).toEqual(["one for bob", "two for bob"]);
      expect(await review.state(parked[0]!, "alice")).toBe("parked");
      expect(await review.state(dead, "alice")).toBe("dead");
    });

    it("starts nothing for a stopped agent", async ({ store, team }) => {
      const review = await team();
      const sent = await review.say("one", ["alice"]);
      await store.setStopped(review.id, "alice", true);
      expect(await store.resume(review.id, {})).toMatchObject({ changed: [], wake: [] });
      expect(await review.state(sent, "alice")).toBe("parked");
    });

    it("and redrive reopen an ended instance", async ({ store, team }) => {
      for (const [name, operation] of [["a", "resume"] as const, ["b", "redrive"] as const]) {
        const review = await team(undefined, { name });
        const sent = await review.say("x", ["alice"]);
        if (operation === "redrive") await review.killDelivery("alice");
        else await park(review, "alice");
        await store.closeRun(review.id);
        const { instance, changed, wake, cursor } = await store[operation](review.id, {});
        expect(instance).toMatchObject({ id: review.id, state: "running" });
        expect(ids(changed)).toEqual([sent.message.id]);
        expect(wake).toEqual(["alice"]);
        const types = (await review.events(cursor)).map(({ type }) => type);
        expect(types).toEqual(["workflow-start", "work-resumed"]);
        await review.workOff("alice");
        expect(await store.closeRun(review.id)).toMatchObject({ status: "completed", dead: 0, parked: 0 });
      }
    });

    it("and redrive start nothing if there is nothing to resume", async ({ store, team }) => {
      const review = await team();
      await store.closeRun(review.id);
      expect(await store.resume(review.id, {})).toMatchObject({ changed: [], wake: [], instance: { state: "ended" } });
      expect(await store.redrive(review.id, {})).toMatchObject({ changed: [], wake: [], instance: { state: "ended" } });
    });
  });

  describe("discard", () => {
    it("marks pending, parked and dead deliveries as done, as discarded, once", async ({ store, team }) => {
      const review = await team();
      const dead = await review.say("dead", ["alice"]);
      await review.killDelivery("alice");
      const parked = await review.say("parked", ["alice"]);
      await park(review, "alice");
      const pending = await review.say("pending", ["alice"]);
      const all = [dead, parked, pending];
      const which = { messages: all.map(({ message }) => message.id) };
      expect(contents(await store.discard(review.id, which)).sort()).toEqual(["dead", "parked", "pending"]);
      for (const message of all) expect(await review.state(message, "alice")).toBe("done");
      expect(await store.discard(review.id, which)).toEqual([]);
      const done = await review.eventsOfType("delivery-done");
      expect(done.map(({ data }) => data.discarded)).toEqual([true, true, true]);
      expect(await review.tryClaim("alice")).toEqual({ wait: "idle" });
      expect(await store.redrive(review.id, {})).toMatchObject({ changed: [], wake: [] });
      expect(await store.resume(review.id, {})).toMatchObject({ changed: [], wake: [] });
    });

    it("rejects a delivery that is being worked on, and changes nothing", async ({ store, team }) => {
      const review = await team();
      const free = await review.say("free", ["bob"]);
      const held = await review.say("held", ["alice"]);
      await review.claim("alice");
      const which = { messages: [free.message.id, held.message.id] };
      expect(await codeOf(store.discard(review.id, which))).toBe("conflict");
      expect(await review.state(held, "alice")).toBe("claimed");
      expect(await review.state(free, "bob")).toBe("pending");
    });

    it("affects only deliveries of that agent, and none that are done", async ({ store, team }) => {
      const review = await team();
      const sent = await review.say("one", ["alice", "bob", "carol"]);
      await review.workOff("carol");
      const changed = await store.discard(review.id, { agent: "bob", messages: [sent.message.id] });
      expect(changed.map(({ agent }) => agent)).toEqual(["bob"]);
      expect(await review.state(sent, "alice")).toBe("pending");
      expect(await store.discard(review.id, { agent: "carol", messages: [sent.message.id] })).toEqual([]);
    });

    it("removes a retry from a waiting turn", async ({ store, team, clock }) => {
      const review = await team();
      const sent = await review.say("one", ["alice"]);
      await review.fail(await review.claim("alice"));
      await store.discard(review.id, { messages: [sent.message.id] });
      clock.advance(delaysMs[0]!);
      expect(await review.tryClaim("alice")).toEqual({ wait: "idle" });
      expect(await store.quiescent(review.id)).toBe(true);
    });
  });

  describe("owed", () => {
    it("lists agents with pending work and when it is due", async ({ store, team, clock }) => {
      const review = await team();
      expect(await store.owed()).toEqual([]);
      await review.say("x", ["alice", "bob"]);
      await review.fail(await review.claim("bob"));
      const dueAt = clock.now() + delaysMs[0]!;
      const owed = await store.owed();
      expect(owed.map(({ instance, agent }) => [instance, agent]).sort()).toEqual([
        [review.id, "alice"],
        [review.id, "bob"],
      ]);
      expect(owed.find(({ agent }) => agent === "alice")?.dueAt).toBeLessThanOrEqual(clock.now());
      expect(owed.find(({ agent }) => agent === "bob")?.dueAt).toBe(dueAt);
      await review.workOff("alice");
      expect(await store.owed()).toEqual([{ instance: review.id, agent: "bob", dueAt }]);
      await store.setStopped(review.id, "bob", true);
      expect(await store.owed()).toEqual([]);
    });

    it("lists the agent of a turn with an expired lease, as long as it can run", async ({ store, team, clock }) => {
      const review = await team();
      await review.say("x", ["alice"]);
      const claim = await review.claim("alice");
      const endsAt = clock.now() + leaseMs;
      clock.advance(leaseMs - 1);
      expect(await store.owed()).toEqual([]);
      clock.advance(1);
      expect(await store.owed()).toEqual([{ instance: review.id, agent: "alice", dueAt: endsAt }]);
      await store.renew(claim, leaseMs);
      expect(await store.owed()).toEqual([]);
      clock.advance(leaseMs);
      await store.setStopped(review.id, "alice", true);
      expect(await store.owed()).toEqual([]);
    });

    it("returns the earliest due time of an agent", async ({ store, team, clock }) => {
      const review = await team();
      await review.say("failing", ["alice"]);
      await review.fail(await review.claim("alice"));
      await review.say("fresh", ["alice"]);
      const [owed, ...others] = await store.owed();
      expect(others).toEqual([]);
      expect(owed?.dueAt).toBeLessThanOrEqual(clock.now());
    });
  });
}
