/** Contract: what a daemon finds after a crash, and the journal of setup steps. */
import { describe, expect } from "bun:test";
import type { Behaviour } from "./bench.ts";
import { contents, delaysMs, draft, openRequest } from "./team.ts";

export function recovery(it: Behaviour): void {
  describe("recover", () => {
    it("returns what was claimed to pending, uncounted, as the same turn", async ({ store, team }) => {
      const review = await team();
      const sent = [await review.say("one", ["alice"]), await review.say("two", ["alice"])];
      const first = await review.claim("alice", "old");
      await store.recover();
      for (const message of sent) {
        expect(await review.delivery(message, "alice")).toMatchObject({ state: "pending", attempts: 0 });
      }
      expect(await store.claimByToken(review.id, "old")).toBeNull();
      expect(await store.counts()).toMatchObject({ turns: 0, running: 1 });
      expect(await store.owed()).toMatchObject([{ instance: review.id, agent: "alice" }]);
      await review.say("three", ["alice"]);
      const second = await review.claim("alice");
      expect(second).toMatchObject({ turn: first.turn, attempt: 2, entry: first.entry });
      expect(second.fence).toBeGreaterThan(first.fence);
      expect(contents(second.deliveries)).toEqual(["one", "two"]);
    });

    it("ends the interrupted attempt as released", async ({ store, team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      const claim = await review.claim("alice");
      await store.recover();
      expect(await review.eventsOfType("turn-end")).toMatchObject([
        { turn: claim.turn, data: { attempt: 1, status: "released" } },
      ]);
    });

    it("reports the running workers, and only those", async ({ store, team }) => {
      const review = await team();
      await review.say("x", [], { all: true });
      const [alice, bob] = [await review.claim("alice"), await review.claim("bob")];
      await review.claim("carol");
      await store.noteWorker(alice, { pid: 101, startTime: "1001" });
      await store.noteWorker(bob, { pid: 102, startTime: "1002" });
      await review.succeed(bob);
      expect((await store.recover()).workers).toEqual([{ pid: 101, startTime: "1001" }]);
      expect((await store.recover()).workers).toEqual([]);
    });

    it("counts an attempt from the third crash with the same delivery claimed", async ({ store, team }) => {
      const review = await team();
      const sent = await review.say("one", ["alice"]);
      const attempts = [];
      for (let crashes = 0; crashes < 3; crashes++) {
        await review.claim("alice");
        await store.recover();
        attempts.push((await review.delivery(sent, "alice")).attempts);
      }
      expect(attempts).toEqual([0, 0, 1]);
    });

    it("splits a batch once its crashes count, so that a poison message does not fail the others", async ({
      store,
      team,
    }) => {
      const review = await team();
      await review.say("poison", ["alice"]);
      const fine = await review.say("fine", ["alice"]);
      for (let crashes = 0; crashes < 3; crashes++) {
        await review.claim("alice");
        await store.recover();
      }
      for (let turns = 0; turns < 10; turns++) {
        const claim = await review.tryClaim("alice");
        if ("wait" in claim) break;
        if (contents(claim.deliveries).includes("poison")) await store.recover();
        else await review.succeed(claim);
      }
      expect(await review.state(fine, "alice")).toBe("done");
    });

    it("ends the turn whose last delivery dies of crashes", async ({ store, team }) => {
      const review = await team();
      const sent = await review.say("poison", ["alice"]);
      let turn = "";
      for (let crashes = 0; crashes < 10 && (await review.state(sent, "alice")) === "pending"; crashes++) {
        turn = (await review.claim("alice")).turn;
        await store.recover();
      }
      expect(await review.state(sent, "alice")).toBe("dead");
      expect((await store.turn(turn))?.turn.state).toBe("failed");
      expect(await review.eventsOfType("delivery-dead")).toHaveLength(1);
    });

    it("counts no crash against what was only pending", async ({ store, team }) => {
      const review = await team();
      const sent = await review.say("one", ["alice"]);
      for (let crashes = 0; crashes < 5; crashes++) await store.recover();
      expect(await review.delivery(sent, "alice")).toMatchObject({ state: "pending", attempts: 0 });
    });

    it("leaves a retry's due time, what is parked, dead or done, and what was sent", async ({ store, team, clock }) => {
      const review = await team();
      const dead = await review.say("dead", ["bob"]);
      await review.killDelivery("bob");
      const done = await review.say("done", ["bob"]);
      await review.workOff("bob");
      const retry = await review.say("retry", ["alice"]);
      const claim = await review.claim("alice");
      await store.appendFrom(claim, draft("alice", "@carol sent", { mentions: ["carol"] }));
      await review.fail(claim);
      await store.setStopped(review.id, "carol", true);
      const before = await store.messages(review.id, "client", { limit: 10 });
      await store.recover();
      expect(await review.state(dead, "bob")).toBe("dead");
      expect(await review.state(done, "bob")).toBe("done");
      expect(await review.deliveries({ agent: "carol", states: ["parked"] })).toHaveLength(1);
      const notBefore = clock.now() + delaysMs[0]!;
      expect(await review.delivery(retry, "alice")).toMatchObject({ state: "pending", attempts: 1, notBefore });
      expect(await store.messages(review.id, "client", { limit: 10 })).toEqual(before);
      expect(await review.tryClaim("carol")).toEqual({ wait: "stopped" });
    });

    it("interrupts a run whose setup step was interrupted, and no other", async ({ store }) => {
      const { instance: cut } = await store.openRun(openRequest(undefined, { name: "cut" }));
      const { instance: between } = await store.openRun(openRequest(undefined, { name: "between" }));
      await store.beginStep(cut.id, { step: "setup[0]", title: "make", as: null });
      await store.beginStep(between.id, { step: "setup[0]", title: "make", as: null });
      await store.endStep(between.id, "setup[0]", { ok: true, output: "", reason: null });
      const { interrupted } = await store.recover();
      expect(interrupted.map(({ id }) => id)).toEqual([cut.id]);
      expect((await store.instance(cut.id))?.state).toBe("interrupted");
      expect(await store.instance(between.id)).toMatchObject({ state: "running", phase: "setup" });
    });

    it("lets an interrupted idempotent step start again", async ({ store }) => {
      const request = openRequest();
      request.definition.setup = [{ shell: "make", idempotent: true }];
      const { instance } = await store.openRun(request);
      const step = { step: "setup[0]", title: "make", as: null };
      await store.beginStep(instance.id, step);
      expect((await store.recover()).interrupted).toEqual([]);
      expect((await store.instance(instance.id))?.state).toBe("running");
      await store.beginStep(instance.id, step);
      await store.endStep(instance.id, "setup[0]", { ok: true, output: "made", reason: null });
      expect(await store.steps(instance.id)).toMatchObject([{ state: "done", output: "made" }]);
    });

    it("finds nothing in an idle store", async ({ store }) => {
      expect(await store.recover()).toEqual({ workers: [], interrupted: [] });
    });
  });

  describe("steps", () => {
    it("are recorded in order with their output", async ({ store, clock }) => {
      const { instance } = await store.openRun(openRequest());
      const output = "line\r\n\u0000🚀";
      await store.beginStep(instance.id, { step: "setup[0]", title: "git diff", as: "diff" });
      expect(await store.steps(instance.id)).toEqual([{ step: "setup[0]", state: "running", output: "", as: "diff" }]);
      clock.advance(40);
      await store.endStep(instance.id, "setup[0]", { ok: true, output, reason: null });
      await store.beginStep(instance.id, { step: "setup[1]", title: "make", as: null });
      await store.endStep(instance.id, "setup[1]", { ok: false, output: "broken", reason: "exit code 2" });
      expect(await store.steps(instance.id)).toEqual([
        { step: "setup[0]", state: "done", output, as: "diff" },
        { step: "setup[1]", state: "failed", output: "broken", as: null },
      ]);
      const events = await store.events({ instance: instance.id, after: 0, limit: 10 });
      expect(events.filter(({ type }) => type.startsWith("task-"))).toMatchObject([
        { type: "task-start", data: { step: "setup[0]", title: "git diff" } },
        { type: "task-end", data: { step: "setup[0]", title: "git diff", ok: true, reason: null, duration: 40 } },
        { type: "task-start", data: { step: "setup[1]", title: "make" } },
        { type: "task-end", data: { step: "setup[1]", title: "make", ok: false, reason: "exit code 2" } },
      ]);
    });

    it("start over with each run", async ({ store }) => {
      const request = openRequest();
      const { instance } = await store.openRun(request);
      await store.beginStep(instance.id, { step: "setup[0]", title: "make", as: null });
      await store.endStep(instance.id, "setup[0]", { ok: false, output: "", reason: "exit code 2" });
      await store.endRun(instance.id, { status: "failed", exitCode: 1, reason: "setup failed" });
      await store.openRun(request);
      expect(await store.steps(instance.id)).toEqual([]);
    });

    it("are still known in a run that starts after the setup", async ({ store }) => {
      const { instance } = await store.openRun(openRequest());
      await store.beginStep(instance.id, { step: "setup[0]", title: "make", as: "built" });
      await store.endStep(instance.id, "setup[0]", { ok: true, output: "yes", reason: null });
      await store.kickoff(instance.id, null);
      await store.closeRun(instance.id);
      await store.reopen(instance.id, "start", []);
      expect(await store.steps(instance.id)).toMatchObject([
        { step: "setup[0]", state: "done", as: "built", output: "yes" },
      ]);
    });
  });
}
