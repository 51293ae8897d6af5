/** Contract: what a turn writes, and that it can write nothing once it has ended or its claim was revoked. */
import { describe, expect } from "bun:test";
import type { Claimed } from "../../../src/daemon/store/data.ts";
import { type Behaviour, codeOf } from "./bench.ts";
import { fencedOperations } from "./fenced-operations.ts";
import { delaysMs, draft, openRequest, type Team } from "./team.ts";

/** Every way to lose a claim; at the start, `alice` has claimed "one". */
const losses: Record<string, (team: Team, claim: Claimed) => Promise<unknown>> = {
  "has succeeded": (team, claim) => team.succeed(claim),
  "has failed": (team, claim) => team.fail(claim),
  "was given back": (team, claim) => team.store.release(claim, "shutting down"),
  "was given back and runs again": async (team, claim) => {
    await team.store.release(claim, "shutting down");
    await team.claim("alice");
  },
  "has failed and runs again": async (team, claim) => {
    await team.fail(claim);
    team.clock.advance(delaysMs[0]!);
    await team.claim("alice");
  },
  "was followed by another turn": async (team, claim) => {
    await team.succeed(claim);
    await team.say("two", ["alice"]);
    await team.claim("alice");
  },
  "lost its agent to a stop": (team) => team.store.setStopped(team.id, "alice", true),
  "lost its agent to a stop and a start": async (team) => {
    await team.store.setStopped(team.id, "alice", true);
    await team.store.setStopped(team.id, "alice", false);
    await team.claim("alice");
  },
  "lost its run": (team) => team.store.endRun(team.id, { status: "stopped", exitCode: 130, reason: null }),
  "lost its daemon": (team) => team.store.recover(),
  "lost its daemon and runs again": async (team) => {
    await team.store.recover();
    await team.claim("alice");
  },
};

export function fence(it: Behaviour): void {
  describe("fence", () => {
    for (const [loss, lose] of Object.entries(losses)) {
      it(`refuses every operation of a turn that ${loss}, and changes nothing`, async ({ store, team }) => {
        const review = await team();
        await review.say("one", ["alice"]);
        const stale = await review.claim("alice", "stale");
        await lose(review, stale);
        await review.say("waiting", ["alice"]);
        const before = await review.snapshot();
        for (const [name, operation] of Object.entries(fencedOperations)) {
          expect(`${name}: ${await codeOf(operation(store, stale))}`).toBe(`${name}: fenced`);
        }
        expect(await store.renew(stale, 1_000)).toBe(false);
        expect(await store.claimByToken(review.id, "stale")).toBeNull();
        expect(await review.snapshot()).toEqual(before);
      });
    }

    it("accepts the same operations while the turn runs", async ({ store, team }) => {
      for (const [name, operation] of Object.entries(fencedOperations)) {
        const review = await team(["alice", "bob"], { name: `w-${name.replaceAll(" ", "-")}` });
        await review.say("one", ["alice"]);
        expect(`${name}: ${await codeOf(operation(store, await review.claim("alice")))}`).toBe(`${name}: none`);
      }
    });

    it("rolls back only the rejected operation when others run at the same time", async ({ store, team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      const stale = await review.claim("alice");
      await review.succeed(stale);
      const operations = [
        codeOf(review.say("before", ["bob"])),
        codeOf(store.appendFrom(stale, draft("alice", "late"))),
        codeOf(review.say("after", ["bob"])),
      ];
      expect(await Promise.all(operations)).toEqual(["none", "fenced", "none"]);
      const channel = await store.messages(review.id, "client", { limit: 10 });
      expect(channel.map(({ seq, content }) => [seq, content])).toEqual([
        [1, "one"],
        [2, "before"],
        [3, "after"],
      ]);
    });

    it("does not let a bug in one operation roll back others that run at the same time", async ({ store, team }) => {
      const review = await team();
      const invalid = openRequest(["alice"], { name: "invalid", concurrency: 0 });
      const settled = await Promise.allSettled([
        review.say("before", ["bob"]),
        store.openRun(invalid),
        review.say("after", ["bob"]),
      ]);
      expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(await store.instances({ name: "invalid" })).toEqual([]);
    });

    it("accepts one of two ends", async ({ store, team }) => {
      const review = await team();
      const sent = await review.say("one", ["alice"]);
      const claim = await review.claim("alice");
      const both = [codeOf(review.succeed(claim, "first")), codeOf(review.fail(claim))];
      expect((await Promise.all(both)).sort()).toEqual(["fenced", "none"]);
      expect(await review.eventsOfType("turn-end")).toHaveLength(1);
      expect(await review.state(sent, "alice")).toBe("done");
      expect(await store.counts()).toMatchObject({ turns: 0 });
    });
  });

  describe("appendFrom", () => {
    it("writes as the turn's agent, in its turn", async ({ store, team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      const claim = await review.claim("alice");
      const sent = await store.appendFrom(claim, draft("alice", "@bob hello", { mentions: ["bob"] }));
      expect(sent).toMatchObject({ repeated: false, wake: ["bob"], message: { sender: "alice", turn: claim.turn } });
      expect(await store.turnMessages(claim.turn)).toEqual([sent.message]);
      expect(await review.eventsOfType("message")).toMatchObject([{ turn: null }, { turn: claim.turn }]);
    });

    it("gives a hop one more than the highest of the turn's batch", async ({ store, team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      const first = await review.claim("alice");
      const handed = await store.appendFrom(first, draft("alice", "@bob", { mentions: ["bob"] }));
      expect(handed.message.hop).toBe(1);
      await review.say("from a person", ["bob"], { urgent: true });
      const second = await review.claim("bob");
      expect(second.deliveries).toHaveLength(2);
      const back = await store.appendFrom(second, draft("bob", "@carol", { mentions: ["carol"] }));
      expect(back.message.hop).toBe(2);
    });

    it("counts the hops of messages claimed later", async ({ store, team }) => {
      const review = await team();
      await review.say("for alice and bob", ["alice", "bob"]);
      const [alice, bob] = [await review.claim("alice"), await review.claim("bob")];
      await store.appendFrom(alice, draft("alice", "@bob", { mentions: ["bob"] }));
      await store.checkInbox(bob);
      expect((await store.appendFrom(bob, draft("bob", "@carol", { mentions: ["carol"] }))).message.hop).toBe(2);
    });

    it("keeps the hop in later attempts and in parts", async ({ store, team, clock }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      const first = await review.claim("alice");
      for (const text of ["@bob 1", "@bob 2"]) {
        await store.appendFrom(first, draft("alice", text, { mentions: ["bob"] }));
      }
      await review.fail(await review.claim("bob"));
      clock.advance(delaysMs[0]!);
      const part = await review.claim("bob");
      expect((await store.appendFrom(part, draft("bob", "@carol", { mentions: ["carol"] }))).message.hop).toBe(2);
    });
  });

  describe("record", () => {
    it("keeps tool calls, results and lost threads in order, as events of the turn", async ({ store, team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      const claim = await review.claim("alice");
      const before = await store.lastEvent();
      const call = { call: "1", tool: "bash", args: '{"command":"ls"}' };
      const result = { call: "1", tool: "bash", ok: true, text: "README.md\r\n" };
      await store.record(claim, [
        { type: "tool-call", ...call },
        { type: "tool-result", ...result },
        { type: "thread-lost", reason: "it is gone" },
      ]);
      expect(await review.events(before)).toMatchObject([
        { type: "tool-call", agent: "alice", turn: claim.turn, data: call },
        { type: "tool-result", agent: "alice", turn: claim.turn, data: result },
        { type: "thread-lost", agent: "alice", turn: claim.turn, data: { reason: "it is gone" } },
      ]);
    });
  });
}
