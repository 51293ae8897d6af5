/** Contract: exact quiescence, how runs end, what they report, and how they continue. */
import { describe, expect } from "bun:test";
import type { Behaviour } from "./bench.ts";
import { delaysMs, draft, openRequest } from "./team.ts";

const stopped = { status: "stopped", exitCode: 130, reason: "interrupted by the user" } as const;
const parkLimit = { kind: "limit" as const, reason: "over the limit" };

export function ending(it: Behaviour): void {
  describe("closeRun: when", () => {
    it("waits for the end of the setup", async ({ store }) => {
      const { instance } = await store.openRun(openRequest());
      expect(await store.quiescent(instance.id)).toBe(false);
      expect(await store.closeRun(instance.id)).toBeNull();
      await store.kickoff(instance.id, null);
      expect(await store.quiescent(instance.id)).toBe(true);
      expect(await store.closeRun(instance.id)).not.toBeNull();
    });

    it("waits for a pending delivery, a claimed one, a running turn and a retry", async ({ store, team, clock }) => {
      const review = await team();
      const expectOpen = async (): Promise<void> => {
        expect(await store.quiescent(review.id)).toBe(false);
        expect(await store.closeRun(review.id)).toBeNull();
      };
      const sent = await review.tell("bob", "one", ["alice"]);
      await expectOpen();
      const claim = await review.claim("alice");
      await expectOpen();
      await store.ack(claim, { messages: [sent.message.id] });
      await expectOpen();
      await review.fail(claim);
      await expectOpen();
      clock.advance(delaysMs[0]!);
      await review.succeed(await review.claim("alice"));
      expect(await store.quiescent(review.id)).toBe(true);
      expect(await store.closeRun(review.id)).not.toBeNull();
    });

    it("ends a run once", async ({ store, team }) => {
      const review = await team();
      const results = await Promise.all([store.closeRun(review.id), store.closeRun(review.id)]);
      expect(results.filter((result) => result !== null)).toHaveLength(1);
      expect(await store.closeRun(review.id)).toBeNull();
      expect(await store.endRun(review.id, stopped)).toBeNull();
      expect(await review.eventsOfType("workflow-end")).toHaveLength(1);
      expect((await store.instance(review.id))?.state).toBe("ended");
    });

    it("never ends a persistent workflow", async ({ store, team }) => {
      const review = await team(undefined, { mode: "start" });
      expect(await store.quiescent(review.id)).toBe(true);
      expect(await store.closeRun(review.id)).toBeNull();
      expect((await store.instance(review.id))?.state).toBe("running");
    });

    it("considers only its own instance", async ({ store, team }) => {
      const review = await team(undefined, { name: "quiet" });
      const other = await team(undefined, { name: "busy" });
      await other.say("x", ["alice"]);
      expect(await store.closeRun(review.id)).not.toBeNull();
    });
  });

  describe("closeRun: result", () => {
    it("is completed, with the run's figures", async ({ store, team, clock }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      const first = await review.claim("alice");
      await store.appendFrom(first, draft("alice", "@bob two", { mentions: ["bob"] }));
      await review.succeed(first, "Handed off.", { usage: { inputTokens: 10, outputTokens: 1, cost: 0.5 } });
      clock.advance(1_500);
      const second = await review.claim("bob");
      await review.succeed(second, "Verified.", { usage: { inputTokens: 5, outputTokens: 2, cost: 0.25 } });
      const result = await store.closeRun(review.id);
      expect(result).toEqual({
        status: "completed",
        exitCode: 0,
        output: "Verified.",
        results: {},
        duration: 1_500,
        usage: { inputTokens: 15, outputTokens: 3, cost: 0.75 },
        turns: 2,
        messages: 2,
        dead: 0,
        parked: 0,
        reason: null,
      });
      expect(await review.eventsOfType("workflow-end")).toMatchObject([{ data: result! }]);
      expect(await store.workflowInfo(review.id)).toMatchObject({
        state: "ended",
        endedAt: clock.now(),
        result: result!,
      });
    });

    it("outputs the last final text that is not empty", async ({ store, team }) => {
      const review = await team();
      for (const text of ["first", "second", ""]) {
        await review.say("x", ["alice"]);
        await review.succeed(await review.claim("alice"), text);
      }
      expect((await store.closeRun(review.id))?.output).toBe("second");
    });

    it("adds up the usage of failed attempts too", async ({ store, team, clock }) => {
      const review = await team();
      await review.say("x", ["alice"]);
      await review.fail(await review.claim("alice"), "transient", { usage: { inputTokens: 100, outputTokens: 10 } });
      clock.advance(delaysMs[0]!);
      const usage = { inputTokens: 50, outputTokens: 5 };
      await review.succeed(await review.claim("alice"), "ok", { usage });
      expect((await store.closeRun(review.id))?.usage).toMatchObject({ inputTokens: 150, outputTokens: 15 });
    });

    it("adds up the usage of a batch that was split", async ({ store, team, clock }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      await review.say("two", ["alice"]);
      const usage = { inputTokens: 100, outputTokens: 10, cost: 1 };
      await review.fail(await review.claim("alice"), "transient", { usage });
      clock.advance(delaysMs[0]!);
      await review.succeed(await review.claim("alice"), "one", { usage });
      await review.succeed(await review.claim("alice"), "two", { usage });
      expect((await store.closeRun(review.id))?.usage).toEqual({ inputTokens: 300, outputTokens: 30, cost: 3 });
    });

    it("is failed with 1 when something is dead, even when something is parked", async ({ store, team }) => {
      const review = await team();
      await review.say("poison", ["alice"]);
      await review.killDelivery("alice");
      await review.say("parked", ["bob"]);
      await review.fail(await review.claim("bob"), "transient", { park: parkLimit });
      expect(await store.closeRun(review.id)).toMatchObject({ status: "failed", exitCode: 1, dead: 1, parked: 1 });
    });

    it("is limited with 6 when something is parked", async ({ store, team }) => {
      const review = await team();
      await review.say("parked", ["alice"]);
      await review.fail(await review.claim("alice"), "transient", { park: parkLimit });
      expect(await store.closeRun(review.id)).toMatchObject({ status: "limited", exitCode: 6, dead: 0, parked: 1 });
    });

    it("has no cost if the cost of one turn is unknown", async ({ store, team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      await review.succeed(await review.claim("alice"), "", { usage: { inputTokens: 1, outputTokens: 1, cost: 1 } });
      await review.say("two", ["alice"]);
      await review.succeed(await review.claim("alice"), "", { usage: { inputTokens: 1, outputTokens: 1 } });
      await review.say("three", ["alice"]);
      await review.succeed(await review.claim("alice"));
      expect((await store.closeRun(review.id))?.usage).toEqual({ inputTokens: 2, outputTokens: 2 });
    });

    it("is 4 if credentials are missing, before all else", async ({ store, team }) => {
      const review = await team();
      await review.say("poison", ["alice"]);
      await review.killDelivery("alice");
      await review.say("parked", ["bob"]);
      const park = { kind: "credentials" as const, reason: "no key for anthropic" };
      await review.fail(await review.claim("bob"), "credentials", { park });
      expect(await store.closeRun(review.id)).toMatchObject({ exitCode: 4, dead: 1, parked: 1 });
    });

    it("contains what setup captured", async ({ store }) => {
      const { instance } = await store.openRun(openRequest());
      await store.beginStep(instance.id, { step: "setup[0]", title: "git diff", as: "diff" });
      await store.endStep(instance.id, "setup[0]", { ok: true, output: "+ line", reason: null });
      await store.beginStep(instance.id, { step: "setup[1]", title: "true", as: null });
      await store.endStep(instance.id, "setup[1]", { ok: true, output: "unnamed", reason: null });
      await store.kickoff(instance.id, null);
      expect((await store.closeRun(instance.id))?.results).toEqual({ diff: "+ line" });
    });

    it("counts only this run", async ({ store, team }) => {
      const review = await team();
      await review.say("poison", ["alice"]);
      await review.killDelivery("alice");
      await review.say("fine", ["bob"]);
      const usage = { inputTokens: 7, outputTokens: 7, cost: 7 };
      await review.succeed(await review.claim("bob"), "old output", { usage });
      await review.say("left", ["carol"]);
      await store.endRun(review.id, stopped);
      await store.openRun(review.request);
      await store.kickoff(review.id, null);
      expect(await store.closeRun(review.id)).toMatchObject({
        status: "completed",
        exitCode: 0,
        output: "",
        usage: { inputTokens: 0, outputTokens: 0 },
        turns: 0,
        messages: 0,
        dead: 0,
        parked: 0,
      });
    });
  });

  describe("endRun", () => {
    it("parks open work, uncounted, and reports it", async ({ store, team }) => {
      const review = await team();
      const held = await review.say("held", ["alice"]);
      const claim = await review.claim("alice");
      const waiting = await review.say("waiting", ["bob"]);
      const result = await store.endRun(review.id, stopped);
      expect(result).toMatchObject({ ...stopped, parked: 2, dead: 0, messages: 2 });
      for (const [message, agent] of [[held, "alice"] as const, [waiting, "bob"] as const]) {
        expect(await review.delivery(message, agent)).toMatchObject({ state: "parked", attempts: 0 });
      }
      expect(await review.eventsOfType("workflow-end")).toMatchObject([{ data: result! }]);
      expect((await store.instance(review.id))?.state).not.toBe("running");
      expect(await store.renew(claim, 1_000)).toBe(false);
      expect(await store.owed()).toEqual([]);
      expect(await store.counts()).toMatchObject({ running: 0, turns: 0 });
    });

    it("ends a persistent workflow, once", async ({ store, team }) => {
      const review = await team(undefined, { mode: "start" });
      expect(await store.endRun(review.id, stopped)).not.toBeNull();
      expect(await store.endRun(review.id, stopped)).toBeNull();
      expect((await store.instance(review.id))?.state).toBe("stopped");
    });

    it("ends a run that is still in its setup", async ({ store }) => {
      const { instance } = await store.openRun(openRequest());
      const failed = { status: "failed", exitCode: 1, reason: "setup failed: exit code 2" } as const;
      expect(await store.endRun(instance.id, failed)).toMatchObject(failed);
      expect((await store.instance(instance.id))?.state).not.toBe("running");
    });
  });

  describe("reopen", () => {
    it("reopens and makes the given reasons pending", async ({ store, team }) => {
      const review = await team(undefined, { mode: "start" });
      const limited = await review.say("limited", ["bob"]);
      await review.fail(await review.claim("bob"), "transient", { park: parkLimit });
      const open = await review.say("open", ["alice"]);
      await store.endRun(review.id, stopped);
      const { parkReason } = await review.delivery(open, "alice");
      const { instance, wake } = await store.reopen(review.id, "start", [parkReason!]);
      expect(instance).toMatchObject({ id: review.id, state: "running", mode: "start" });
      expect(wake).toEqual(["alice"]);
      expect(await review.state(open, "alice")).toBe("pending");
      expect(await review.state(limited, "bob")).toBe("parked");
      expect(await review.eventsOfType("work-resumed")).toMatchObject([
        { agent: "alice", message: open.message.id, data: { by: "start" } },
      ]);
    });

    it("claims the interrupted batch again, as the same turn", async ({ store, team }) => {
      const review = await team(undefined, { mode: "start" });
      await review.say("one", ["alice"]);
      await review.say("two", ["alice"]);
      const first = await review.claim("alice");
      await store.endRun(review.id, stopped);
      const [delivery] = await review.deliveries();
      await store.reopen(review.id, "start", [delivery!.parkReason!]);
      const second = await review.claim("alice");
      expect(second).toMatchObject({ turn: first.turn, attempt: 2 });
      expect(second.deliveries).toHaveLength(2);
    });

    it("makes nothing pending without reasons", async ({ store, team }) => {
      const review = await team();
      const sent = await review.say("one", ["alice"]);
      await store.endRun(review.id, stopped);
      const { wake } = await store.reopen(review.id, "run", []);
      expect(wake).toEqual([]);
      expect(await review.state(sent, "alice")).toBe("parked");
      expect(await review.say("two", ["bob"])).toMatchObject({ wake: ["bob"], parked: [] });
    });

    it("keeps a stopped agent stopped", async ({ store, team }) => {
      const review = await team(undefined, { mode: "start" });
      const sent = await review.say("one", ["alice"]);
      await store.setStopped(review.id, "alice", true);
      await store.endRun(review.id, stopped);
      const { wake } = await store.reopen(review.id, "start", ["stopped", "not-running"]);
      expect(wake).toEqual([]);
      expect(await review.state(sent, "alice")).toBe("parked");
    });
  });
}
