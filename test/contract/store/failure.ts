/** Contract: how a turn fails: retries, splits, dead letters, parking; and how it is released. */
import { describe, expect } from "bun:test";
import type { Behaviour } from "./bench.ts";
import { contents, delaysMs, ids } from "./team.ts";

export function failure(it: Behaviour): void {
  describe("finish: transient failure", () => {
    it("of one delivery is retried as another attempt of the same turn", async ({ store, team, clock }) => {
      const review = await team();
      const sent = await review.say("one", ["alice"]);
      const first = await review.claim("alice");
      const at = clock.now() + delaysMs[0]!;
      expect((await review.fail(first)).retryAt).toBe(at);
      expect(await review.delivery(sent, "alice")).toMatchObject({ state: "pending", attempts: 1, notBefore: at });
      expect((await store.turn(first.turn))?.turn.state).toBe("waiting");
      expect(await review.eventsOfType("turn-end")).toMatchObject([
        { turn: first.turn, data: { attempt: 1, status: "failed", reason: "the provider said no" } },
      ]);
      expect(await review.eventsOfType("turn-retry")).toMatchObject([
        { agent: "alice", turn: first.turn, message: sent.message.id, data: { at, reason: "the provider said no" } },
      ]);
      clock.advance(delaysMs[0]!);
      const second = await review.claim("alice");
      expect(second).toMatchObject({ turn: first.turn, attempt: 2, entry: first.entry });
      expect(second.fence).toBeGreaterThan(first.fence);
      await review.succeed(second);
      expect(await store.turnsOf(sent.message.id)).toHaveLength(1);
    });

    it("waits longer each time, by the delay of that attempt", async ({ team, clock }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      for (const delay of delaysMs) {
        expect((await review.fail(await review.claim("alice"))).retryAt).toBe(clock.now() + delay);
        clock.advance(delay);
      }
    });

    it("with no attempts left is dead, with an event and a message", async ({ store, team, clock }) => {
      const review = await team();
      const sent = await review.say("poison", ["alice"]);
      const turns = new Set<string>();
      for (const delay of [...delaysMs, 0]) {
        const claim = await review.claim("alice");
        turns.add(claim.turn);
        await review.fail(claim);
        clock.advance(delay);
      }
      expect(turns.size).toBe(1);
      expect(await review.delivery(sent, "alice")).toMatchObject({
        state: "dead",
        attempts: 3,
        reason: "the provider said no",
      });
      expect(await review.eventsOfType("delivery-dead")).toMatchObject([
        { agent: "alice", message: sent.message.id, data: { attempts: 3, reason: "the provider said no" } },
      ]);
      const [notice, ...others] = (await store.messages(review.id, "client", { limit: 10 })).slice(1);
      expect(others).toEqual([]);
      expect(notice).toMatchObject({ sender: "system", kind: "system", seq: 2 });
      expect(notice?.content).toContain("alice");
      expect((await store.turn([...turns][0]!))?.turn.state).toBe("failed");
      expect(await review.tryClaim("alice")).toEqual({ wait: "idle" });
      expect(await store.quiescent(review.id)).toBe(true);
      expect((await review.say("next", [])).message.seq).toBe(3);
    });

    it("of a batch splits it into one turn per open delivery", async ({ store, team, clock }) => {
      const review = await team();
      const sent = [await review.say("one", ["alice"]), await review.say("two", ["alice"])];
      const batch = await review.claim("alice");
      const finished = await review.fail(batch);
      expect(finished.retryAt).toBe(clock.now() + delaysMs[0]!);
      expect((await store.turn(batch.turn))?.turn.state).toBe("split");
      for (const message of sent) {
        expect(await review.delivery(message, "alice")).toMatchObject({ state: "pending", attempts: 1 });
      }
      clock.advance(delaysMs[0]!);
      const turns = [batch.turn];
      for (const text of ["one", "two"]) {
        const part = await review.claim("alice");
        expect(contents(part.deliveries)).toEqual([text]);
        expect(part.entry).toBe(batch.entry);
        expect(turns).not.toContain(part.turn);
        expect((await store.turn(part.turn))?.turn.parent).toBe(batch.turn);
        turns.push(part.turn);
        await review.succeed(part);
      }
      expect(await review.tryClaim("alice")).toEqual({ wait: "idle" });
    });

    it("of a part counts only that part's attempts", async ({ team, clock }) => {
      const review = await team();
      const poison = await review.say("poison", ["alice"]);
      const fine = await review.say("fine", ["alice"]);
      await review.fail(await review.claim("alice"));
      clock.advance(delaysMs[0]!);
      await review.fail(await review.claim("alice"));
      await review.succeed(await review.claim("alice"));
      expect(await review.state(fine, "alice")).toBe("done");
      clock.advance(delaysMs[1]!);
      await review.fail(await review.claim("alice"));
      expect(await review.delivery(poison, "alice")).toMatchObject({ state: "dead", attempts: 3 });
    });

    it("gives the next script entry to the next turn, not to a retry or a part", async ({ team, clock }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      await review.say("two", ["alice"]);
      await review.fail(await review.claim("alice"));
      await review.say("three", ["alice"]);
      const fresh = await review.claim("alice");
      expect(fresh.entry).toBe(1);
      await review.succeed(fresh);
      clock.advance(delaysMs[0]!);
      expect((await review.claim("alice")).entry).toBe(0);
    });
  });

  describe("finish: permanent failure", () => {
    it("of one delivery is dead at once", async ({ store, team }) => {
      const review = await team();
      const sent = await review.say("one", ["alice"]);
      expect(await review.fail(await review.claim("alice"), "permanent")).toMatchObject({ retryAt: null });
      expect(await review.delivery(sent, "alice")).toMatchObject({ state: "dead", reason: "the provider said no" });
      const channel = await store.messages(review.id, "client", { limit: 10 });
      expect(channel.map(({ kind }) => kind)).toEqual(["message", "system"]);
    });

    it("of a batch is split without delay, so that a poison message does not fail the others", async ({ team }) => {
      const review = await team();
      const poison = await review.say("poison", ["alice"]);
      const fine = await review.say("fine", ["alice"]);
      expect((await review.fail(await review.claim("alice"), "permanent")).wake).toContain("alice");
      const first = await review.claim("alice");
      expect(contents(first.deliveries)).toEqual(["poison"]);
      await review.fail(first, "permanent");
      const second = await review.claim("alice");
      expect(contents(second.deliveries)).toEqual(["fine"]);
      await review.succeed(second);
      expect(await review.state(poison, "alice")).toBe("dead");
      expect(await review.state(fine, "alice")).toBe("done");
    });
  });

  describe("finish: permanent failure of a batch without retries", () => {
    it("still splits its deliveries", async ({ team }) => {
      const review = await team();
      await review.say("poison", ["alice"]);
      const fine = await review.say("fine", ["alice"]);
      await review.fail(await review.claim("alice"), "permanent", { delaysMs: [] });
      await review.fail(await review.claim("alice"), "permanent", { delaysMs: [] });
      await review.succeed(await review.claim("alice"));
      expect(await review.state(fine, "alice")).toBe("done");
    });
  });

  describe("finish: parking", () => {
    it("parks what the turn has claimed with its reason, and counts no attempt", async ({ store, team }) => {
      const review = await team();
      const sent = [await review.say("one", ["alice"]), await review.say("two", ["alice"])];
      const claim = await review.claim("alice");
      const park = { kind: "credentials" as const, reason: "no key for anthropic" };
      expect(await review.fail(claim, "credentials", { park })).toMatchObject({ retryAt: null });
      for (const message of sent) {
        expect(await review.delivery(message, "alice")).toMatchObject({
          state: "parked",
          parkReason: "credentials",
          reason: "no key for anthropic",
          attempts: 0,
        });
      }
      expect(await review.eventsOfType("work-parked")).toMatchObject(
        sent.map(({ message }) => ({ agent: "alice", message: message.id, data: park })),
      );
      expect(await review.tryClaim("alice")).toEqual({ wait: "idle" });
      expect(await store.renew(claim, 1_000)).toBe(false);
    });
  });

  describe("finish: holding until a time", () => {
    const park = { kind: "usage-limit" as const, reason: "that was all for today", until: 5_000_000 };

    it("is not due before, keeps its run open, counts no attempt, and resumes as the same turn", async (bench) => {
      const { store, clock } = bench;
      const review = await bench.team();
      const sent = await review.say("one", ["alice"]);
      const first = await review.claim("alice");
      const until = clock.now() + 3_600_000;
      expect(await review.fail(first, "usage-limit", { park: { ...park, until } })).toMatchObject({ wake: ["alice"] });
      const waiting = {
        state: "pending",
        parkReason: "usage-limit",
        notBefore: until,
        attempts: 0,
        reason: park.reason,
      };
      expect(await review.delivery(sent, "alice")).toMatchObject(waiting);
      expect(await review.eventsOfType("work-parked")).toMatchObject([{ agent: "alice", data: { ...park, until } }]);
      const heldOf = async () => (await store.agentInfos(review.id)).map(({ held }) => held);
      expect(await heldOf()).toEqual([{ until, reason: park.reason }, null, null]);
      expect(await review.tryClaim("alice")).toEqual({ wait: "until", at: until });
      expect(await store.quiescent(review.id)).toBe(false);
      clock.advance(3_600_000);
      expect(await heldOf()).toEqual([null, null, null]);
      expect(await review.claim("alice")).toMatchObject({ turn: first.turn });
      expect(await review.delivery(sent, "alice")).toMatchObject({ state: "claimed", parkReason: null, attempts: 0 });
    });

    it("ends early when a person resumes it", async ({ store, clock, team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      const until = clock.now() + 3_600_000;
      await review.fail(await review.claim("alice"), "usage-limit", { park: { ...park, until } });
      expect(await store.resume(review.id, {})).toMatchObject({ wake: ["alice"] });
      expect(await review.claim("alice")).toMatchObject({ attempt: 2 });
    });

    it("leaves alone what is pending for another reason", async ({ store, team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      await review.fail(await review.claim("alice"), "transient");
      expect(await store.resume(review.id, {})).toMatchObject({ changed: [] });
    });
  });

  describe("release", () => {
    it("releases the batch uncounted; it is claimed again as the same turn", async ({ store, team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      await review.say("two", ["alice"]);
      const first = await review.claim("alice");
      await review.say("three", ["alice"]);
      const held = ids(await store.checkInbox(first));
      await store.release(first, "shutting down");
      for (const delivery of await review.deliveries()) {
        expect(delivery).toMatchObject({ state: "pending", attempts: 0 });
      }
      await review.say("four", ["alice"]);
      const second = await review.claim("alice");
      expect(second).toMatchObject({ turn: first.turn, attempt: 2, entry: first.entry });
      expect(ids(second.deliveries)).toEqual(held);
      expect(await review.eventsOfType("turn-end")).toMatchObject([
        { turn: first.turn, data: { attempt: 1, status: "released", reason: "shutting down" } },
      ]);
    });

    it("takes no attempt from a later failure", async ({ store, team, clock }) => {
      const review = await team();
      const sent = await review.say("one", ["alice"]);
      for (let times = 0; times < 5; times++) await store.release(await review.claim("alice"), "shutting down");
      expect((await review.fail(await review.claim("alice"))).retryAt).toBe(clock.now() + delaysMs[0]!);
      expect(await review.delivery(sent, "alice")).toMatchObject({ state: "pending", attempts: 1 });
    });

    it("keeps done what was acked", async ({ store, team }) => {
      const review = await team();
      const one = await review.tell("bob", "one", ["alice"]);
      await review.tell("bob", "two", ["alice"]);
      const claim = await review.claim("alice");
      await store.ack(claim, { messages: [one.message.id] });
      await store.release(claim, "shutting down");
      expect(await review.state(one, "alice")).toBe("done");
      expect(contents((await review.claim("alice")).deliveries)).toEqual(["two"]);
    });
  });
}
