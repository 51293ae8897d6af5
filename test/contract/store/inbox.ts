/** Contract: which messages a running turn gets, and what it acks. */
import { describe, expect } from "bun:test";
import { batchSize } from "../../../src/protocol/limits.ts";
import type { Behaviour } from "./bench.ts";
import { contents, delaysMs, ids } from "./team.ts";

export function inbox(it: Behaviour): void {
  describe("checkInbox", () => {
    it("claims new messages for the turn", async ({ store, team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      const claim = await review.claim("alice");
      const two = await review.say("two", ["alice"]);
      await review.say("urgent", ["alice"], { urgent: true });
      expect(contents(await store.checkInbox(claim))).toEqual(["urgent", "one", "two"]);
      expect(await review.delivery(two, "alice")).toMatchObject({ state: "claimed", turn: claim.turn });
      await review.succeed(claim);
      expect(await review.state(two, "alice")).toBe("done");
      expect(await review.tryClaim("alice")).toEqual({ wait: "idle" });
    });

    it("returns everything claimed and not acknowledged at each call", async ({ store, team }) => {
      const review = await team();
      const one = await review.tell("bob", "one", ["alice"]);
      await review.tell("bob", "two", ["alice"]);
      await review.tell("bob", "three", ["alice"]);
      const claim = await review.claim("alice");
      expect(contents(await store.checkInbox(claim))).toEqual(["one", "two", "three"]);
      expect(contents(await store.checkInbox(claim))).toEqual(["one", "two", "three"]);
      await store.ack(claim, { messages: [one.message.id] });
      expect(contents(await store.checkInbox(claim))).toEqual(["two", "three"]);
    });

    it("writes the claim of each new delivery once", async ({ store, team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      const claim = await review.claim("alice");
      const two = await review.say("two", ["alice"]);
      await store.checkInbox(claim);
      await store.checkInbox(claim);
      const claimed = (await review.eventsOfType("delivery-claim")).map((event) => [event.message, event.turn]);
      expect(claimed.filter(([message]) => message === two.message.id)).toEqual([[two.message.id, claim.turn]]);
      expect(claimed).toHaveLength(2);
    });

    it("leaves messages that the turn never checked to the next turn", async ({ team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      const first = await review.claim("alice");
      await review.say("two", ["alice"]);
      await review.succeed(first);
      const second = await review.claim("alice");
      expect(contents(second.deliveries)).toEqual(["two"]);
      expect(second.turn).not.toBe(first.turn);
      expect(second.entry).toBe(1);
    });

    it("claims nothing for the turn of an asked message, and no asked message for another turn", async ({
      store,
      team,
    }) => {
      const review = await team();
      await review.say("asked 1", ["alice"], { asked: true });
      const asked = await review.claim("alice");
      await review.say("plain", ["alice"]);
      await review.say("asked 2", ["alice"], { asked: true });
      expect(contents(await store.checkInbox(asked))).toEqual(["asked 1"]);
      await review.succeed(asked);
      const plain = await review.claim("alice");
      const held = contents(plain.deliveries);
      expect(contents(await store.checkInbox(plain))).toEqual(held);
      expect(held).toHaveLength(1);
    });

    it("claims nothing for a later attempt", async ({ store, team, clock }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      await review.fail(await review.claim("alice"));
      clock.advance(delaysMs[0]!);
      const retry = await review.claim("alice");
      await review.say("two", ["alice"]);
      expect(contents(await store.checkInbox(retry))).toEqual(["one"]);
    });

    it("claims nothing for a turn that was split off", async ({ store, team, clock }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      await review.say("two", ["alice"]);
      await review.fail(await review.claim("alice"));
      clock.advance(delaysMs[0]!);
      const part = await review.claim("alice");
      await review.say("three", ["alice"]);
      expect(contents(await store.checkInbox(part))).toEqual(contents(part.deliveries));
      expect(part.deliveries).toHaveLength(1);
    });

    it("claims no retry of another turn", async ({ store, team, clock }) => {
      const review = await team();
      await review.say("failing", ["alice"]);
      await review.fail(await review.claim("alice"));
      await review.say("fresh", ["alice"]);
      const fresh = await review.claim("alice");
      clock.advance(delaysMs[0]!);
      expect(contents(await store.checkInbox(fresh))).toEqual(["fresh"]);
    });

    it("claims no more than a batch per turn", async ({ store, team }) => {
      const review = await team();
      for (let i = 0; i < batchSize - 1; i++) await review.say(`message ${i}`, ["alice"]);
      const claim = await review.claim("alice");
      for (let i = 0; i < 3; i++) await review.say(`late ${i}`, ["alice"]);
      expect(await store.checkInbox(claim)).toHaveLength(batchSize);
      expect(await review.deliveries({ agent: "alice", states: ["pending"] })).toHaveLength(2);
    });

    it("claims nothing when it only peeks", async ({ store, team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      const claim = await review.claim("alice");
      const two = await review.say("two", ["alice"]);
      expect(contents(await store.peekInbox(claim))).toContain("one");
      expect(await review.state(two, "alice")).toBe("pending");
    });
  });

  describe("ack", () => {
    it("marks agents' messages as done at once, exactly once", async ({ store, team }) => {
      const review = await team();
      const one = await review.tell("bob", "one", ["alice"]);
      await review.tell("bob", "two", ["alice"]);
      const claim = await review.claim("alice");
      const acked = await store.ack(claim, { messages: [one.message.id] });
      expect(ids(acked)).toEqual([one.message.id]);
      expect(await review.state(one, "alice")).toBe("done");
      await store.ack(claim, { messages: [one.message.id] });
      await review.succeed(claim);
      const done = await review.eventsOfType("delivery-done");
      expect(done.filter(({ message }) => message === one.message.id)).toHaveLength(1);
      expect(done).toHaveLength(2);
    });

    it("only hides the turn's last one; the end of the turn marks it as done", async ({ store, team }) => {
      const review = await team();
      const only = await review.tell("bob", "only", ["alice"]);
      const claim = await review.claim("alice");
      expect(ids(await store.ack(claim, { messages: [only.message.id] }))).toEqual([only.message.id]);
      expect(await review.delivery(only, "alice")).toMatchObject({ state: "claimed", acked: true });
      expect(await store.checkInbox(claim)).toEqual([]);
      expect(await store.quiescent(review.id)).toBe(false);
      await review.succeed(claim);
      expect(await review.state(only, "alice")).toBe("done");
    });

    it("keeps exactly one when all are acked at once", async ({ store, team }) => {
      const review = await team();
      for (const text of ["one", "two", "three"]) await review.tell("bob", text, ["alice"]);
      const claim = await review.claim("alice");
      const acked = await store.ack(claim, { untilSeq: 3 });
      expect(acked).toHaveLength(3);
      const states = (await review.deliveries({ agent: "alice" })).map(({ state }) => state).sort();
      expect(states).toEqual(["claimed", "done", "done"]);
      expect(await store.checkInbox(claim)).toEqual([]);
    });

    it("only hides messages of a person or with a waiting sender", async ({ store, team }) => {
      const review = await team();
      const person = await review.say("from a person", ["alice"]);
      const agent = await review.tell("bob", "from an agent", ["alice"]);
      const claim = await review.claim("alice");
      await store.ack(claim, { messages: [person.message.id, agent.message.id] });
      expect(await review.delivery(person, "alice")).toMatchObject({ state: "claimed", acked: true });
      expect(await review.state(agent, "alice")).toBe("done");
      await review.succeed(claim);
      const asked = await review.tell("bob", "asked", ["alice"], { asked: true });
      const second = await review.claim("alice");
      await store.ack(second, { messages: [asked.message.id] });
      expect(await review.state(asked, "alice")).toBe("claimed");
    });

    it("reaches up to a seq and not past it", async ({ store, team }) => {
      const review = await team();
      for (const text of ["one", "two", "three"]) await review.tell("bob", text, ["alice"]);
      const claim = await review.claim("alice");
      expect(contents(await store.ack(claim, { untilSeq: 2 }))).toEqual(["one", "two"]);
      expect(contents(await store.checkInbox(claim))).toEqual(["three"]);
    });

    it("affects only what the turn has claimed", async ({ store, team }) => {
      const review = await team();
      await review.tell("bob", "held 1", ["alice"]);
      await review.tell("bob", "held 2", ["alice"]);
      const claim = await review.claim("alice");
      const later = await review.tell("bob", "later", ["alice"]);
      const foreign = await review.say("foreign", ["carol"]);
      const which = { messages: [later.message.id, foreign.message.id, "nothing"] };
      expect(await store.ack(claim, which)).toEqual([]);
      expect(contents(await store.ack(claim, { untilSeq: 100 }))).toEqual(["held 1", "held 2"]);
      expect(await review.state(later, "alice")).toBe("pending");
      expect(await review.state(foreign, "carol")).toBe("pending");
    });

    it("wakes no agent", async ({ store, team }) => {
      const review = await team();
      const one = await review.tell("bob", "one", ["alice"]);
      await review.tell("bob", "two", ["alice"]);
      const claim = await review.claim("alice");
      await store.ack(claim, { messages: [one.message.id] });
      expect(await store.owed()).toEqual([]);
    });

    it("of a failed attempt shows hidden messages again to the next one", async ({ store, team, clock }) => {
      const review = await team();
      const person = await review.say("from a person", ["alice"]);
      const claim = await review.claim("alice");
      await store.ack(claim, { messages: [person.message.id] });
      await review.fail(claim);
      expect(await review.delivery(person, "alice")).toMatchObject({ state: "pending", attempts: 1 });
      clock.advance(delaysMs[0]!);
      const retry = await review.claim("alice");
      expect(contents(await store.checkInbox(retry))).toEqual(["from a person"]);
    });

    it("keeps done messages out of a failure", async ({ store, team, clock }) => {
      const review = await team();
      const handled = await review.tell("bob", "handled", ["alice"]);
      const open = await review.tell("bob", "open", ["alice"]);
      const claim = await review.claim("alice");
      await store.ack(claim, { messages: [handled.message.id] });
      await review.fail(claim);
      expect(await review.state(handled, "alice")).toBe("done");
      expect(await review.delivery(open, "alice")).toMatchObject({ state: "pending", attempts: 1 });
      clock.advance(delaysMs[0]!);
      expect(contents((await review.claim("alice")).deliveries)).toEqual(["open"]);
    });
  });
}
