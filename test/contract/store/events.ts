/** Contract: the events that every change writes, in order, resumable. */
import { describe, expect } from "bun:test";
import { Event } from "../../../src/protocol/event.ts";
import type { Behaviour } from "./bench.ts";
import { delaysMs, draft, openRequest } from "./team.ts";

export function events(it: Behaviour): void {
  describe("events", () => {
    it("are written by each change, with the change", async ({ store, team, clock }) => {
      const { instance } = await store.openRun(openRequest(["alice"], { name: "start" }));
      expect(await store.events({ instance: instance.id, after: 0, limit: 10 })).toMatchObject([
        { type: "workflow-start", data: { mode: "run", agents: ["alice"] } },
      ]);
      const review = await team(["alice", "bob"]);
      expect(await review.typesWritten(() => review.tell("bob", "one", ["alice"]))).toEqual(["message"]);
      expect(await review.typesWritten(() => review.claim("alice"))).toEqual(["delivery-claim", "turn-start"]);
      const claim = await store.claimByToken(review.id, "alice-1");
      await review.tell("bob", "two", ["alice"]);
      expect(await review.typesWritten(() => store.checkInbox(claim!))).toEqual(["delivery-claim"]);
      expect(await review.typesWritten(() => store.ack(claim!, { untilSeq: 1 }))).toEqual(["delivery-done"]);
      expect(await review.typesWritten(() => review.fail(claim!))).toEqual(["turn-end", "turn-retry"]);
      clock.advance(delaysMs[0]!);
      const retry = await review.claim("alice");
      expect(await review.typesWritten(() => review.succeed(retry))).toEqual(["delivery-done", "turn-end"]);
      await review.say("three", ["alice"]);
      const doomed = await review.claim("alice");
      expect(await review.typesWritten(() => review.fail(doomed, "permanent"))).toEqual([
        "delivery-dead",
        "message",
        "turn-end",
      ]);
      expect(await review.typesWritten(() => store.redrive(review.id, {}))).toEqual(["work-resumed"]);
      expect(await review.typesWritten(() => store.setStopped(review.id, "alice", true))).toEqual(["work-parked"]);
      expect(await review.typesWritten(() => store.setStopped(review.id, "alice", false))).toEqual(["work-resumed"]);
      await review.workOff("alice");
      expect(await review.typesWritten(() => store.closeRun(review.id))).toEqual(["workflow-end"]);
    });

    it("have the form of the protocol, with instance, run and time", async ({ store, team, clock }) => {
      const review = await team(["alice", "bob"], { tag: "pr-1", project: "/a" });
      await review.say("one", ["alice"]);
      await review.say("two", ["alice"]);
      await review.fail(await review.claim("alice"));
      clock.advance(delaysMs[0]!);
      await review.fail(await review.claim("alice"), "permanent");
      await store.setStopped(review.id, "alice", true);
      await store.endRun(review.id, { status: "stopped", exitCode: 130, reason: null });
      const all = await store.events({ after: 0, limit: 500 });
      expect(new Set(all.map(({ type }) => type)).size).toBeGreaterThanOrEqual(8);
      for (const event of all) {
        expect(Event.parse(event)).toEqual(event);
        expect(event).toMatchObject({ workflow: "review", tag: "pr-1", project: "/a", run: 1 });
        expect(event.at).toBeLessThanOrEqual(clock.now());
      }
    });

    it("are ordered and can be resumed after any one, without gap or repeat", async ({ store, team }) => {
      const review = await team();
      for (let i = 0; i < 10; i++) {
        await review.say(`message ${i}`, [], { all: true });
        await review.workOff("alice");
      }
      const all = await store.events({ after: 0, limit: 500 });
      const seqs = all.map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      expect(new Set(seqs).size).toBe(seqs.length);
      expect(seqs.at(-1)).toBe(await store.lastEvent());
      const paged = [];
      for (let after = 0; ; after = paged.at(-1)!.seq) {
        const page = await store.events({ instance: review.id, after, limit: 7 });
        if (page.length === 0) break;
        expect(page.length).toBeLessThanOrEqual(7);
        paged.push(...page);
      }
      expect(paged).toEqual(all);
    });

    it("can be read for one instance or for all", async ({ store, team }) => {
      const one = await team(["alice"], { name: "one" });
      const two = await team(["alice"], { name: "two" });
      await one.say("for one", []);
      await two.say("for two", []);
      expect(await one.eventsOfType("message")).toMatchObject([{ workflow: "one", data: { content: "for one" } }]);
      const all = await store.events({ after: 0, limit: 500 });
      expect(all.filter(({ type }) => type === "message").map(({ workflow }) => workflow)).toEqual(["one", "two"]);
    });

    it("of a message contain the whole message", async ({ store, team }) => {
      const review = await team();
      const sent = await review.say("hello", ["alice", "user"], { urgent: true });
      const [event] = await review.eventsOfType("message");
      expect(event?.data).toEqual(sent.message);
      expect(await store.message(sent.message.id)).toMatchObject({ message: event!.data });
    });

    it("of a turn contain its first messages and its attempt", async ({ team }) => {
      const review = await team();
      const sent = await review.say("hello", ["alice"]);
      const claim = await review.claim("alice");
      expect(await review.eventsOfType("turn-start")).toMatchObject([
        { agent: "alice", turn: claim.turn, data: { attempt: 1, messages: [sent.message.id] } },
      ]);
    });

    it("can be read for one message", async ({ store, team, clock }) => {
      const review = await team();
      const sent = await review.say("hello", ["alice"]);
      await review.say("another", ["bob"]);
      await review.fail(await review.claim("alice"));
      clock.advance(delaysMs[0]!);
      await review.workOff("alice");
      await review.workOff("bob");
      const story = await store.eventsOf(sent.message.id);
      const types = story.map(({ type }) => type);
      for (const type of ["message", "delivery-claim", "delivery-done"] as const) expect(types).toContain(type);
      expect(types.filter((type) => type === "delivery-claim")).toHaveLength(2);
      expect(story.filter((event) => "agent" in event && event.agent === "bob")).toEqual([]);
      expect(story.map(({ seq }) => seq)).toEqual(story.map(({ seq }) => seq).toSorted((a, b) => a - b));
    });

    it("trigger a call to each listener, which can then read them", async ({ store, team }) => {
      const review = await team();
      const before = await store.lastEvent();
      const heard = new Promise<Awaited<ReturnType<typeof store.events>>>((resolve) => {
        store.onEvents(() => resolve(store.events({ instance: review.id, after: before, limit: 10 })));
      });
      await review.say("hello", []);
      expect(await heard).toMatchObject([{ type: "message", data: { content: "hello" } }]);
    });

    it("are no longer announced to a listener that has left", async ({ store, team }) => {
      const review = await team();
      let left = 0;
      const leave = store.onEvents(() => left++);
      leave();
      const heard = new Promise<void>((resolve) => store.onEvents(resolve));
      await review.say("hello", []);
      await heard;
      expect(left).toBe(0);
    });

    it("of a rejected draft are not written", async ({ store, team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      const claim = await review.claim("alice");
      await review.succeed(claim);
      const before = await store.lastEvent();
      await store.appendFrom(claim, draft("alice", "late")).catch(() => undefined);
      expect(await store.lastEvent()).toBe(before);
    });
  });
}
