/** F12 of the fault list, among others: whatever the clock does, a slot fires at most once, and missed slots fire once in total. */
import { describe, expect, test } from "bun:test";
import { openTeam, type Team } from "../../../../test/contract/store/team.ts";
import { Clock } from "../../../../test/contract/store/clock.ts";
import { Timeline } from "../../../../test/simulation/timeline.ts";
import type { Schedule } from "../../../protocol/schedule.ts";
import type { EventOf } from "../../../protocol/event.ts";
import { nextSlot } from "../../../workflow/schedule.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";
import type { Store } from "../../store/store.ts";
import { Environments } from "../turns/environments.ts";
import { Schedules } from "./schedules.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const everyFive: Schedule = { interval: "5m" };
const hourly: Schedule = { cron: "0 * * * *", timezone: "UTC" };

type Fired = EventOf<"schedule-fire">;

/** A team whose alice is scheduled, in simulated time; she does all her work at once, unless told otherwise. */
class Desk {
  readonly timeline = new Timeline();
  readonly problems: string[] = [];
  readonly store: Store;
  review!: Team;
  schedules!: Schedules;
  closing!: AbortController;
  isBusy = false;

  private constructor() {
    const now = () => this.timeline.wall;
    this.store = openSqliteStore({ path: ":memory:", now, random: Math.random, defer: queueMicrotask });
    this.begin();
  }

  static async open(schedule: Schedule, prompt: string | null = null): Promise<Desk> {
    const desk = new Desk();
    desk.review = await openTeam(desk.store, new Clock(), ["alice", "bob"], { mode: "start" });
    const nextAt = nextSlot(schedule, null, desk.timeline.wall);
    await desk.store.setSchedule(desk.review.id, { agent: "alice", schedule, prompt, nextAt });
    desk.schedules.checkDue();
    return desk;
  }

  /** Another daemon on the same store. */
  begin(): void {
    this.closing = new AbortController();
    this.schedules = new Schedules({
      store: this.store,
      clock: {
        now: () => this.timeline.wall,
        monotonic: () => this.timeline.monotonic,
        after: (ms, run) => this.timeline.after(ms, run),
      },
      environments: new Environments({ PLACE: "@bob's desk" }),
      wake: (_, agent) => {
        if (!this.isBusy) void this.review.workOff(agent);
      },
      report: (problem, error) => this.problems.push(`${problem}: ${String(error)}`),
      closing: this.closing.signal,
    });
  }

  async end(): Promise<void> {
    this.closing.abort();
    await this.schedules.close();
  }

  async fired(): Promise<Fired[]> {
    expect(this.problems).toEqual([]);
    return this.review.eventsOfType("schedule-fire");
  }

  async count(): Promise<number> {
    return (await this.fired()).length;
  }
}

test("an interval fires exactly at each of its slots", async () => {
  const desk = await Desk.open(everyFive);
  desk.timeline.pass(21 * minuteMs);
  const fired = await desk.fired();
  expect(fired.map(({ at, data }) => at - data.slot)).toEqual([0, 0, 0, 0]);
  expect(new Set(fired.map(({ data }) => data.nextAt! - data.slot))).toEqual(new Set([5 * minuteMs]));
});

test("the message is from the system to its agent, and its values mention no agent", async () => {
  const desk = await Desk.open(everyFive, "Look at ${{ env.PLACE }} of ${{ workflow.name }}.");
  desk.timeline.pass(5 * minuteMs + 1);
  const [message] = await desk.store.messages(desk.review.id, "client", { limit: 10 });
  expect(message).toMatchObject({
    sender: "system",
    recipients: ["alice"],
    content: "Look at @bob's desk of review.",
    private: false,
  });
});

test("a slot is skipped while the last message is not done, and the next slot fires", async () => {
  const desk = await Desk.open(everyFive);
  desk.isBusy = true;
  desk.timeline.pass(16 * minuteMs);
  expect(await desk.count()).toBe(1);
  await desk.review.workOff("alice");
  desk.timeline.pass(5 * minuteMs);
  expect(await desk.count()).toBe(2);
});

describe("F12: when the clock jumps", () => {
  for (const [name, schedule, everyMs] of [
    ["an interval", everyFive, 5 * minuteMs],
    ["a cron expression", hourly, hourMs],
  ] as const) {
    test.each([hourMs, dayMs])(`forward by %i ms, ${name} fires once for all that was missed`, async (jumpMs) => {
      const desk = await Desk.open(schedule);
      desk.timeline.pass(everyMs + 1_000);
      desk.timeline.jump(jumpMs);
      desk.timeline.pass(2 * minuteMs);
      expect(await desk.count()).toBe(2);
      desk.timeline.pass(2 * everyMs);
      expect(await desk.count()).toBe(4);
      await expectEachOnce(desk);
    });
  }

  test.each([hourMs, dayMs])("back by %i ms, an interval keeps its pace", async (jumpMs) => {
    const desk = await Desk.open(everyFive);
    desk.timeline.pass(6 * minuteMs);
    desk.timeline.jump(-jumpMs);
    desk.timeline.pass(24 * minuteMs);
    const fired = await desk.fired();
    expect(fired.length).toBeGreaterThanOrEqual(5);
    expect(fired.length).toBeLessThanOrEqual(6);
  });

  test.each([hourMs, dayMs])("back by %i ms, no slot of a cron expression fires again", async (jumpMs) => {
    const desk = await Desk.open(hourly);
    desk.timeline.pass(90 * minuteMs);
    desk.timeline.jump(-jumpMs);
    desk.timeline.pass(jumpMs);
    expect(await desk.count()).toBe(1);
    desk.timeline.pass(hourMs);
    expect(await desk.count()).toBe(2);
    await expectEachOnce(desk);
  });

  test("forward and back again, a cron expression loses no later slot", async () => {
    const desk = await Desk.open(hourly);
    desk.timeline.pass(90 * minuteMs);
    desk.timeline.jump(dayMs);
    desk.timeline.pass(2 * minuteMs);
    desk.timeline.jump(-dayMs);
    desk.timeline.pass(3 * hourMs);
    expect(await desk.count()).toBe(4);
    await expectEachOnce(desk);
  });

  test("at random, there is never more than one firing per slot", async () => {
    const desk = await Desk.open(hourly);
    const jumps = [hourMs, -hourMs, dayMs, -hourMs, 5 * minuteMs, -dayMs, dayMs, -7 * minuteMs, hourMs, -hourMs, dayMs];
    for (const jump of jumps) {
      desk.timeline.pass(37 * minuteMs);
      desk.timeline.jump(jump);
      desk.schedules.checkDue();
    }
    desk.timeline.pass(3 * hourMs);
    await expectEachOnce(desk);
  });
});

test("after a sleep of the machine or a stopped daemon, all missed slots fire once", async () => {
  const desk = await Desk.open(everyFive);
  desk.timeline.pass(6 * minuteMs);
  await desk.end();
  desk.timeline.pass(dayMs);
  expect(await desk.count()).toBe(1);
  desk.begin();
  desk.schedules.checkDue();
  desk.timeline.pass(1);
  expect(await desk.count()).toBe(2);
  desk.timeline.pass(5 * minuteMs);
  expect(await desk.count()).toBe(3);
});

test("a stopping daemon uses no more slots and waits for none", async () => {
  const desk = await Desk.open(everyFive);
  desk.schedules.checkDue();
  await desk.end();
  desk.timeline.pass(10 * minuteMs);
  desk.schedules.checkDue();
  expect(desk.timeline.step()).toBe(false);
  expect(await desk.count()).toBe(0);
});

test("a stopped agent's schedule does not fire, and catches up once", async () => {
  const desk = await Desk.open(everyFive);
  await desk.store.setStopped(desk.review.id, "alice", true);
  desk.timeline.pass(hourMs);
  expect(await desk.count()).toBe(0);
  await desk.store.setStopped(desk.review.id, "alice", false);
  desk.schedules.checkDue();
  desk.timeline.pass(minuteMs);
  expect(await desk.count()).toBe(1);
});

test("without a schedule there is nothing to wait for", async () => {
  const desk = await Desk.open(everyFive);
  await desk.store.clearSchedules(desk.review.id, null);
  desk.schedules.checkDue();
  desk.timeline.pass(10 * minuteMs);
  expect(await desk.count()).toBe(0);
  expect(desk.timeline.step()).toBe(false);
});

test("a schedule that fails is reported and does not block others", async () => {
  const desk = await Desk.open(everyFive, "${{ nobody_knows }}");
  const nextAt = desk.timeline.wall + minuteMs;
  await desk.store.setSchedule(desk.review.id, { agent: "bob", schedule: everyFive, prompt: null, nextAt });
  desk.schedules.checkDue();
  desk.timeline.pass(5 * minuteMs + 1);
  expect(desk.problems.splice(0)).toEqual([expect.stringContaining("unknown name 'nobody_knows'")]);
  desk.timeline.pass(5 * minuteMs);
  desk.problems.splice(0);
  expect((await desk.fired()).map(({ agent }) => agent)).toEqual(["bob", "bob"]);
});

async function expectEachOnce(desk: Desk): Promise<void> {
  const slots = (await desk.fired()).map(({ data }) => data.slot);
  expect(slots.length).toBeGreaterThan(0);
  expect(new Set(slots).size).toBe(slots.length);
}
