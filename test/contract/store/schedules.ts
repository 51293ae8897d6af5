/** Contract: schedules, whose slots are used once, and only while agent and workflow are started. */
import { describe, expect } from "bun:test";
import type { Firing, NewSchedule } from "../../../src/daemon/store/data.ts";
import { type Behaviour, codeOf } from "./bench.ts";
import { draft, openRequest, type Team } from "./team.ts";

const hourMs = 3_600_000;

export function schedules(it: Behaviour): void {
  describe("schedules", () => {
    it("are set, replaced, shown in the order of the team, and cleared", async ({ store, team, clock }) => {
      const review = await team(undefined, { mode: "start" });
      await store.setSchedule(review.id, hourly(review, "bob", { prompt: "first" }));
      await store.setSchedule(review.id, hourly(review, "alice"));
      await store.setSchedule(review.id, hourly(review, "Bob", { prompt: "second" }));
      expect(await store.schedules(review.id)).toMatchObject([
        { agent: "alice", prompt: null, nextAt: clock.now() + hourMs, lastAt: null, active: true },
        { agent: "bob", prompt: "second", schedule: { interval: "1h" } },
      ]);
      expect(await store.clearSchedules(review.id, "BOB")).toMatchObject([{ prompt: "second" }]);
      expect(await store.clearSchedules(review.id, null)).toMatchObject([{ agent: "alice" }]);
      expect(await store.schedules(review.id)).toEqual([]);
    });

    it("are rejected for an unknown agent", async ({ store, team }) => {
      const review = await team(["alice"], { mode: "start" });
      expect(await codeOf(store.setSchedule(review.id, hourly(review, "bob")))).toBe("not-found");
    });

    it("contain when their next slot was computed", async ({ store, team, clock }) => {
      const review = await team(undefined, { mode: "start" });
      expect(await store.setSchedule(review.id, hourly(review, "alice"))).toMatchObject({ countedAt: clock.now() });
      const firing = due(review, "alice");
      clock.advance(hourMs);
      await store.fire(firing);
      expect(await store.schedules(review.id)).toMatchObject([{ countedAt: clock.now() }]);
    });

    it("are those that the latest run was opened with", async ({ store, clock }) => {
      const schedule = { agent: "alice", schedule: { interval: "1h" }, prompt: null, nextAt: clock.now() };
      const request = openRequest(["alice", "bob"], { mode: "start" });
      const { instance } = await store.openRun({ ...request, schedules: [schedule] });
      await store.setSchedule(instance.id, { ...schedule, agent: "bob" });
      await store.endRun(instance.id, { status: "stopped", exitCode: 0, reason: null });
      await store.reopen(instance.id, "start", []);
      expect((await store.schedules(instance.id)).map(({ agent }) => agent)).toEqual(["alice", "bob"]);
      await store.endRun(instance.id, { status: "stopped", exitCode: 0, reason: null });
      await store.openRun({ ...request, schedules: [{ ...schedule, agent: "bob", prompt: "new" }] });
      expect(await store.schedules(instance.id)).toMatchObject([{ agent: "bob", prompt: "new" }]);
    });

    it("come with an agent that is added, and go with it", async ({ store, team }) => {
      const review = await team(["alice"], { mode: "start" });
      await store.addAgent(review.id, "dora", { backend: "mock" }, "/", hourly(review, "dora"));
      expect(await store.schedules(review.id)).toMatchObject([{ agent: "dora" }]);
      await store.removeAgent(review.id, "dora");
      await store.addAgent(review.id, "dora", { backend: "mock" }, "/");
      expect(await store.schedules(review.id)).toEqual([]);
    });

    it("fire with message, delivery and event at once, and move on", async ({ store, team, clock }) => {
      const review = await team(undefined, { mode: "start" });
      await store.setSchedule(review.id, hourly(review, "alice"));
      const firing = due(review, "alice");
      const before = await store.lastEvent();
      const fired = await store.fire(firing);
      expect(fired).toMatchObject({ wake: ["alice"], message: { sender: "system", recipients: ["alice"], hop: 0 } });
      expect(await review.state(fired!, "alice")).toBe("pending");
      expect(await review.events(before)).toMatchObject([
        { type: "message", message: fired!.message.id },
        {
          type: "schedule-fire",
          agent: "alice",
          message: fired!.message.id,
          data: { slot: firing.slot, nextAt: firing.nextAt },
        },
      ]);
      expect(await store.schedules(review.id)).toMatchObject([
        { lastAt: clock.now() + hourMs, nextAt: clock.now() + 2 * hourMs },
      ]);
    });

    it("use a slot once, however many requests there are", async ({ store, team }) => {
      const review = await team(undefined, { mode: "start" });
      await store.setSchedule(review.id, hourly(review, "alice"));
      const fired = await Promise.all(Array.from({ length: 10 }, () => store.fire(due(review, "alice"))));
      expect(fired.filter((each) => each !== null)).toHaveLength(1);
      expect(await store.messages(review.id, "client", { limit: 10 })).toHaveLength(1);
    });

    it("do not use a slot again once its work is done", async ({ store, team }) => {
      const review = await team(undefined, { mode: "start" });
      await store.setSchedule(review.id, hourly(review, "alice"));
      await store.fire(due(review, "alice"));
      await review.workOff("alice");
      const before = await store.schedules(review.id);
      expect(await review.typesWritten(() => store.fire(due(review, "alice")))).toEqual([]);
      expect(await store.schedules(review.id)).toEqual(before);
    });

    it("change nothing if the message is rejected", async ({ store, team }) => {
      const review = await team(undefined, { mode: "start" });
      await store.setSchedule(review.id, hourly(review, "alice"));
      const before = [await review.snapshot(), await store.schedules(review.id)];
      const lone = draft("system", "\ud800", { to: ["alice"] });
      expect(await codeOf(store.fire({ ...due(review, "alice"), draft: lone }))).toBe("usage");
      expect([await review.snapshot(), await store.schedules(review.id)]).toEqual(before);
    });

    it("skip a slot silently while the last message is pending, claimed or parked", async ({ store, team }) => {
      const review = await team(undefined, { mode: "start" });
      await store.setSchedule(review.id, hourly(review, "alice"));
      await store.fire(due(review, "alice"));
      const skip = (slot: number) => review.typesWritten(() => store.fire(due(review, "alice", slot)));
      expect(await skip(2)).toEqual([]);
      const claim = await review.claim("alice");
      expect(await skip(3)).toEqual([]);
      await review.fail(claim, "credentials", { park: { kind: "credentials", reason: "no key" } });
      expect(await skip(4)).toEqual([]);
      expect(await store.schedules(review.id)).toMatchObject([{ lastAt: at(review, 4), nextAt: at(review, 5) }]);
      await store.resume(review.id, {});
      await review.workOff("alice");
      expect(await store.fire(due(review, "alice", 5))).not.toBeNull();
    });

    it("do not wait for a dead message, nor for other messages", async ({ store, team }) => {
      const review = await team(undefined, { mode: "start" });
      await store.setSchedule(review.id, hourly(review, "alice"));
      await store.fire(due(review, "alice"));
      await review.killDelivery("alice");
      await review.say("something else", ["alice"]);
      expect(await store.fire(due(review, "alice", 2))).not.toBeNull();
    });

    it("only advance without a message", async ({ store, team, clock }) => {
      const review = await team(undefined, { mode: "start" });
      await store.setSchedule(review.id, hourly(review, "alice"));
      const sooner = { ...due(review, "alice"), nextAt: clock.now() + 5, draft: null };
      expect(await review.typesWritten(() => store.fire(sooner))).toEqual([]);
      expect(await store.schedules(review.id)).toMatchObject([{ lastAt: null, nextAt: clock.now() + 5 }]);
    });

    it("are active only in a started workflow, after its kickoff, for agents that are not stopped", async (bench) => {
      const { store, team } = bench;
      const once = await team(["alice"], { name: "once", mode: "run" });
      await store.setSchedule(once.id, hourly(once, "alice"));
      expect([await active(bench), await store.fire(due(once, "alice"))]).toEqual([[], null]);

      const schedule = hourly(once, "alice");
      const opened = await store.openRun({ ...openRequest(["alice"], { mode: "start" }), schedules: [schedule] });
      expect(await active(bench)).toEqual([]);
      await store.kickoff(opened.instance.id, null);
      expect(await active(bench)).toEqual([opened.instance.id]);

      await store.setStopped(opened.instance.id, "alice", true);
      expect(await active(bench)).toEqual([]);
      await store.setStopped(opened.instance.id, "alice", false);
      await store.endRun(opened.instance.id, { status: "stopped", exitCode: 0, reason: null });
      expect(await active(bench)).toEqual([]);
      await store.reopen(opened.instance.id, "start", []);
      expect(await active(bench)).toEqual([opened.instance.id]);
    });

    it("are listed with the next due first, without those that never fire again", async ({ store, team, clock }) => {
      const review = await team(undefined, { mode: "start" });
      await store.setSchedule(review.id, hourly(review, "alice", { nextAt: clock.now() + 2 }));
      await store.setSchedule(review.id, hourly(review, "bob", { nextAt: clock.now() + 1 }));
      await store.setSchedule(review.id, hourly(review, "carol", { nextAt: null }));
      expect((await store.activeSchedules(10)).map(({ agent }) => agent)).toEqual(["bob", "alice"]);
      expect((await store.activeSchedules(1)).map(({ agent }) => agent)).toEqual(["bob"]);
    });
  });
}

function at({ clock }: Team, hours: number): number {
  return clock.now() + hours * hourMs;
}

function hourly(review: Team, agent: string, more: Partial<NewSchedule> = {}): NewSchedule {
  return { agent, schedule: { interval: "1h" }, prompt: null, nextAt: at(review, 1), ...more };
}

/** The slot this many hours from now. */
function due(review: Team, agent: string, hours = 1): Firing {
  const [slot, nextAt] = [at(review, hours), at(review, hours + 1)];
  return { instance: review.id, agent, slot, nextAt, draft: draft("system", "it is time", { to: [agent] }) };
}

async function active({ store }: Parameters<Parameters<Behaviour>[1]>[0]): Promise<string[]> {
  return (await store.activeSchedules(10)).map(({ instance }) => instance);
}
