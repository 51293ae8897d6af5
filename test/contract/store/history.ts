/** Contract: an instance's history can be cleared; feedback is always kept. */
import { describe, expect } from "bun:test";
import type { NewFeedback } from "../../../src/protocol/feedback.ts";
import { type Behaviour, codeOf } from "./bench.ts";

const stopped = { status: "stopped", exitCode: 0, reason: null } as const;
const idea: NewFeedback = { kind: "idea", target: "bash", text: "faster" };

export function history(it: Behaviour): void {
  describe("clearInstance", () => {
    it("removes messages, deliveries, turns, events, resources, documents and steps, and keeps the agents", async ({
      store,
      team,
    }) => {
      const review = await team(["alice", "bob"]);
      await store.setSchedule(review.id, {
        agent: "bob",
        schedule: { interval: "1m" },
        prompt: "look",
        nextAt: 60_000,
      });
      await store.beginStep(review.id, { step: "setup[0]", title: "diff", as: "diff" });
      await store.endStep(review.id, "setup[0]", { ok: true, output: "text", reason: null });
      const sent = await review.say("x".repeat(5_000), ["alice", "bob"]);
      const claim = await review.claim("alice");
      await store.setStatus(claim, "busy");
      const { id: resource } = await store.createResource(claim, { content: "kept", type: "text/plain" });
      await store.writeDocument(claim, { file: "notes.md", content: "one", base: 0 });
      await store.endRun(review.id, stopped);
      const { run, startedAt } = await store.workflowInfo(review.id);

      expect(await store.clearInstance(review.id)).toEqual({ messages: 1 });
      expect(await review.snapshot()).toMatchObject({ messages: [], deliveries: [] });
      expect(await review.events()).toEqual([]);
      expect(await store.turn(claim.turn)).toBeNull();
      expect(await store.message(sent.message.id)).toBeNull();
      expect(await store.resource(review.id, resource, { offset: 0, limit: 1 })).toBeNull();
      expect(await store.documents(review.id)).toEqual([]);
      expect(await store.steps(review.id)).toEqual([]);
      expect(await store.workflowInfo(review.id)).toMatchObject({
        run,
        startedAt,
        state: "stopped",
        messages: 0,
        result: null,
        agents: [
          { name: "alice", status: null, state: "idle" },
          { name: "bob", inbox: { parked: 0 } },
        ],
      });
      expect(await store.schedules(review.id)).toMatchObject([{ agent: "bob", prompt: "look" }]);
    });

    it("starts over with the first message, above every fence", async ({ store, team, clock }) => {
      const review = await team(["alice"]);
      await review.say("one", ["alice"]);
      const before = await review.claim("alice");
      await store.endRun(review.id, stopped);
      await store.clearInstance(review.id);
      clock.advance(1);
      const { instance } = await store.openRun(review.request);
      await store.kickoff(instance.id, null);
      expect(instance).toMatchObject({ id: review.id, run: 2 });
      expect((await review.say("two", ["alice"])).message.seq).toBe(1);
      expect((await review.claim("alice")).fence).toBeGreaterThan(before.fence);
      expect(await codeOf(store.setStatus(before, "late"))).toBe("fenced");
    });

    it("is rejected while it runs, and changes nothing", async ({ store, team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      const before = await review.snapshot();
      expect(await codeOf(store.clearInstance(review.id))).toBe("already-running");
      expect(await review.snapshot()).toEqual(before);
      expect(await codeOf(store.clearInstance("nowhere"))).toBe("not-found");
    });

    it("clears standalone agents, which always run, if nothing is open", async ({ store, team }) => {
      const all = await team(["alice"], { name: "global", project: "", mode: "start" });
      await all.say("one", ["alice"]);
      expect(await codeOf(store.clearInstance(all.id))).toBe("already-running");
      await all.workOff("alice");
      expect(await store.clearInstance(all.id)).toEqual({ messages: 1 });
      expect(await store.instance(all.id)).toMatchObject({ state: "running" });
      await all.say("two", ["alice"]);
      await all.workOff("alice");
    });
  });

  describe("feedback", () => {
    it("is kept with its author, newest first", async ({ store, team, clock }) => {
      const review = await team(["alice"], { tag: "pr-1" });
      await review.say("one", ["alice"]);
      const claim = await review.claim("alice");
      const first = await store.addFeedback(claim, idea);
      clock.advance(1);
      const second = await store.addFeedback("user", { kind: "praise", target: "@review", text: "ü" });
      expect(first).toEqual({
        ...idea,
        id: expect.stringMatching(/^f/),
        author: "alice@review:pr-1",
        project: "/project",
        turn: claim.turn,
        createdAt: clock.now() - 1,
      });
      expect(second).toMatchObject({ author: "user", project: "", turn: null });
      expect(await store.feedback(10)).toEqual([second, first]);
      expect(await store.feedback(1)).toEqual([second]);
    });

    it("outlives its subject", async ({ store, team }) => {
      const review = await team(["alice"]);
      await review.say("one", ["alice"]);
      await store.addFeedback(await review.claim("alice"), idea);
      await store.endRun(review.id, stopped);
      await store.clearInstance(review.id);
      expect(await store.feedback(10)).toMatchObject([idea]);
    });
  });
}
