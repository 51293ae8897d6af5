/** Contract: claiming an inbox as one turn, and what a claim allows. */
import { describe, expect } from "bun:test";
import { batchSize } from "../../../src/protocol/limits.ts";
import { type Behaviour, codeOf } from "./bench.ts";
import { contents, delaysMs, ids, leaseMs } from "./team.ts";

export function claims(it: Behaviour): void {
  describe("claim: what it takes", () => {
    it("takes all pending deliveries as one turn", async ({ store, team, clock }) => {
      const review = await team();
      const sent = [await review.say("one", ["alice"]), await review.say("two", ["alice"])];
      await review.say("not mine", ["bob"]);
      const claim = await review.claim("alice");
      expect(claim).toMatchObject({
        instance: review.id,
        agent: "alice",
        run: 1,
        attempt: 1,
        entry: 0,
        node: "node-1",
      });
      expect(ids(claim.deliveries)).toEqual(sent.map(({ message }) => message.id));
      for (const message of sent) {
        expect(await review.delivery(message, "alice")).toMatchObject({ state: "claimed", turn: claim.turn });
      }
      const found = await store.turn(claim.turn);
      expect(found?.instance).toBe(review.id);
      expect(found?.turn).toMatchObject({
        id: claim.turn,
        agent: "alice",
        run: 1,
        state: "running",
        attempt: 1,
        parent: null,
        startedAt: clock.now(),
        endedAt: null,
      });
      expect(await store.turnsOf(sent[0]!.message.id)).toMatchObject([{ id: claim.turn }]);
    });

    it("creates a turn that is listed for the instance and its agent, latest first", async ({ store, team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      await review.say("two", ["bob"]);
      const [alice, bob] = [await review.claim("alice"), await review.claim("bob")];
      const list = async (filter: { agent?: string; limit: number }) =>
        (await store.turns(review.id, filter)).map(({ id }) => id);
      expect(await list({ limit: 10 })).toEqual([bob.turn, alice.turn]);
      expect(await list({ limit: 1 })).toEqual([bob.turn]);
      expect(await list({ agent: "Alice", limit: 10 })).toEqual([alice.turn]);
      expect(await store.turns("w0", { limit: 10 })).toEqual([]);
    });

    it("takes high priority first, then by seq", async ({ team }) => {
      const review = await team();
      await review.say("normal 1", ["alice"]);
      await review.say("high 1", ["alice"], { urgent: true });
      await review.say("normal 2", ["alice"]);
      await review.say("high 2", ["alice", "bob"]);
      expect(contents((await review.claim("alice")).deliveries)).toEqual(["high 1", "high 2", "normal 1", "normal 2"]);
    });

    it("takes at most a batch and leaves the rest pending", async ({ team }) => {
      const review = await team();
      for (let i = 0; i < batchSize + 2; i++) await review.say(`message ${i}`, ["alice"]);
      await review.say("urgent", ["alice"], { urgent: true });
      const claim = await review.claim("alice");
      expect(claim.deliveries).toHaveLength(batchSize);
      expect(claim.deliveries[0]?.message.content).toBe("urgent");
      expect(await review.deliveries({ agent: "alice", states: ["pending"] })).toHaveLength(3);
    });

    it("takes an asked message alone, so that it gets its own answer", async ({ team }) => {
      const review = await team();
      await review.say("before", ["alice"]);
      await review.say("asked 1", ["alice"], { asked: true });
      await review.say("asked 2", ["alice"], { asked: true });
      await review.say("after", ["alice"]);
      const batches = [];
      for (let turns = 0; turns < 3; turns++) {
        const claim = await review.claim("alice");
        batches.push(contents(claim.deliveries).join(", "));
        await review.succeed(claim);
      }
      expect(batches.toSorted()).toEqual(["asked 1", "asked 2", "before, after"]);
      expect(await review.tryClaim("alice")).toEqual({ wait: "idle" });
    });

    it("raises the agent's fence each time", async ({ team }) => {
      const review = await team();
      let last = -1;
      for (let turns = 0; turns < 3; turns++) {
        await review.say("x", ["alice"]);
        const claim = await review.claim("alice");
        expect(claim.fence).toBeGreaterThan(last);
        last = claim.fence;
        await review.succeed(claim);
      }
    });

    it("finds the agent ignoring case", async ({ team }) => {
      const review = await team(["Alice"]);
      await review.say("x", ["alice"]);
      expect(await review.claim("ALICE")).toMatchObject({ agent: "Alice" });
    });
  });

  describe("claim: when it waits", () => {
    it("returns idle if there is no work", async ({ team }) => {
      const review = await team();
      await review.say("x", ["bob"]);
      expect(await review.tryClaim("alice")).toEqual({ wait: "idle" });
    });

    it("returns busy while the agent has a turn, and claims nothing", async ({ team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      await review.claim("alice");
      const two = await review.say("two", ["alice"]);
      expect(await review.tryClaim("alice")).toEqual({ wait: "busy" });
      expect(await review.state(two, "alice")).toBe("pending");
    });

    for (const node of ["node-1", "node-2"]) {
      it(`gives a turn of node-1 whose lease has run out to ${node}, uncounted`, async ({ store, team, clock }) => {
        const review = await team();
        const sent = await review.say("one", ["alice"]);
        const lost = await review.claim("alice");
        const request = { instance: review.id, agent: "alice", node, leaseMs, tokenHash: "next" };
        clock.advance(leaseMs - 1);
        expect(await store.claim(request)).toEqual({ wait: "busy" });
        clock.advance(1);
        expect(await store.claim(request)).toMatchObject({ turn: lost.turn, attempt: 2, node });
        expect(await review.delivery(sent, "alice")).toMatchObject({ state: "claimed", attempts: 0 });
        expect(await store.renew(lost, leaseMs)).toBe(false);
        expect(await codeOf(review.succeed(lost))).toBe("fenced");
      });
    }

    it("grants one of two concurrent claims", async ({ team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      const both = await Promise.all([review.tryClaim("alice"), review.tryClaim("alice")]);
      expect(both.filter((claim) => !("wait" in claim))).toHaveLength(1);
      expect(both.filter((claim) => "wait" in claim)).toEqual([{ wait: "busy" }]);
    });

    it("returns slots while the concurrency limit is reached", async ({ team }) => {
      const review = await team(undefined, { concurrency: 2 });
      const other = await team(["alice"], { name: "other" });
      await review.say("x", [], { all: true });
      await other.say("x", ["alice"]);
      const first = await review.claim("alice");
      await review.claim("bob");
      expect(await review.tryClaim("carol")).toEqual({ wait: "slots" });
      expect((await other.claim("alice")).deliveries).toHaveLength(1);
      await review.succeed(first);
      expect((await review.claim("carol")).deliveries).toHaveLength(1);
    });

    it("returns the due time of a retry, and claims it when it is due", async ({ team, clock }) => {
      const review = await team();
      await review.say("x", ["alice"]);
      await review.fail(await review.claim("alice"));
      const at = clock.now() + delaysMs[0]!;
      expect(await review.tryClaim("alice")).toEqual({ wait: "until", at });
      clock.advance(delaysMs[0]! - 1);
      expect(await review.tryClaim("alice")).toEqual({ wait: "until", at });
      clock.advance(1);
      expect((await review.claim("alice")).deliveries).toHaveLength(1);
    });

    it("claims newer messages while a retry is not due", async ({ team, clock }) => {
      const review = await team();
      await review.say("failing", ["alice"]);
      const first = await review.claim("alice");
      await review.fail(first);
      await review.say("fresh", ["alice"]);
      const fresh = await review.claim("alice");
      expect(contents(fresh.deliveries)).toEqual(["fresh"]);
      expect(fresh.turn).not.toBe(first.turn);
      clock.advance(delaysMs[0]!);
      await review.succeed(fresh);
      const retry = await review.claim("alice");
      expect(contents(retry.deliveries)).toEqual(["failing"]);
      expect(retry).toMatchObject({ turn: first.turn, attempt: 2 });
    });

    it("keeps a due retry apart from new messages", async ({ team, clock }) => {
      const review = await team();
      await review.say("failing", ["alice"]);
      await review.fail(await review.claim("alice"));
      await review.say("fresh 1", ["alice"], { urgent: true });
      await review.say("fresh 2", ["alice"]);
      clock.advance(delaysMs[0]!);
      const fresh = await review.claim("alice");
      expect(contents(fresh.deliveries)).toEqual(["fresh 1", "fresh 2"]);
      await review.succeed(fresh);
      expect(contents((await review.claim("alice")).deliveries)).toEqual(["failing"]);
    });

    it("returns stopped for a stopped agent and for a workflow that is not running", async ({ store, team }) => {
      const review = await team();
      await review.say("x", ["alice", "bob"]);
      await store.setStopped(review.id, "alice", true);
      expect(await review.tryClaim("alice")).toEqual({ wait: "stopped" });
      await store.endRun(review.id, { status: "stopped", exitCode: 130, reason: null });
      expect(await review.tryClaim("bob")).toEqual({ wait: "stopped" });
    });
  });

  describe("token", () => {
    it("identifies its claim while the turn runs", async ({ store, team }) => {
      const review = await team();
      const other = await team(["alice"], { name: "other" });
      await review.say("x", ["alice"]);
      const claim = await review.claim("alice", "secret");
      expect(await store.claimByToken(review.id, "secret")).toMatchObject({
        instance: review.id,
        agent: "alice",
        turn: claim.turn,
        attempt: 1,
        fence: claim.fence,
      });
      expect(await store.claimByToken(review.id, "another")).toBeNull();
      expect(await store.claimByToken(other.id, "secret")).toBeNull();
      await review.succeed(claim);
      expect(await store.claimByToken(review.id, "secret")).toBeNull();
    });

    it("of an earlier attempt stays void when the turn runs again", async ({ store, team }) => {
      const review = await team();
      await review.say("x", ["alice"]);
      await store.release(await review.claim("alice", "first"), "shutting down");
      expect(await store.claimByToken(review.id, "first")).toBeNull();
      await review.claim("alice", "second");
      expect(await store.claimByToken(review.id, "first")).toBeNull();
      expect(await store.claimByToken(review.id, "second")).toMatchObject({ attempt: 2 });
    });

    it("gives a claim that can do what the first one can", async ({ store, team }) => {
      const review = await team();
      await review.say("x", ["alice"]);
      await review.claim("alice", "secret");
      const found = await store.claimByToken(review.id, "secret");
      expect(contents(await store.checkInbox(found!))).toEqual(["x"]);
      await review.succeed(found!);
      expect(await store.quiescent(review.id)).toBe(true);
    });
  });

  describe("renew", () => {
    it("succeeds while the turn runs and fails once it has ended or its claim was revoked", async ({ store, team }) => {
      const review = await team();
      await review.say("x", [], { all: true });
      const ended = await review.claim("alice");
      const taken = await review.claim("bob");
      expect(await store.renew(ended, leaseMs)).toBe(true);
      expect(await store.renew(taken, leaseMs)).toBe(true);
      await review.succeed(ended);
      await store.setStopped(review.id, "bob", true);
      expect(await store.renew(ended, leaseMs)).toBe(false);
      expect(await store.renew(taken, leaseMs)).toBe(false);
    });
  });
}
