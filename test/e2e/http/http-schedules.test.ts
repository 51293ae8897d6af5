/** Schedules over HTTP, through the real daemon and real workers, at intervals of milliseconds. */
import { expect, test } from "bun:test";
import type { Event, EventOf } from "../../../src/protocol/event.ts";
import { AgentInfo } from "../../../src/protocol/instance.ts";
import { ScheduleList } from "../../../src/protocol/http/schedules.ts";
import { MessageList, StartResponse } from "../../../src/protocol/http/workflows.ts";
import { ScheduleInfo } from "../../../src/protocol/schedule.ts";
import { temporaryFolder } from "../../fixtures/folder.ts";
import { type OpenDaemon, openTestDaemon } from "../../fixtures/open-daemon.ts";

const mock = { backend: "mock" } as const;

/** The next `count` firings after an event. */
async function firings(daemon: OpenDaemon, count: number, after = 0): Promise<EventOf<"schedule-fire">[]> {
  const found: EventOf<"schedule-fire">[] = [];
  for await (const event of daemon.events(`/events?after=${after}`)) {
    if (event.type === "schedule-fire") found.push(event);
    if (found.length === count) break;
  }
  return found;
}

async function stored(daemon: OpenDaemon): Promise<Event[]> {
  return Array.fromAsync(daemon.events("/events?follow=0"));
}

test("an agent works at each slot, and no slot fires while it is working", async () => {
  await using daemon = await openTestDaemon();
  const script = [{ on: ".", do: [{ say: "Looked." }] }];
  await daemon.start({
    name: "watch",
    agents: { eye: { ...mock, script, schedule: "50ms", schedule_prompt: "Look at ${{ workflow.name }}." } },
  });
  const fired = await firings(daemon, 3);
  expect(new Set(fired.map(({ data }) => data.slot)).size).toBe(3);
  const { messages } = await daemon.call("GET", "/workflows/@watch/messages", MessageList);
  expect(messages.find(({ sender }) => sender === "system")).toMatchObject({
    recipients: ["eye"],
    content: "Look at watch.",
  });
  let open = 0;
  for (const event of await stored(daemon)) {
    if (event.type === "schedule-fire") expect((open += 1)).toBe(1);
    if (event.type === "delivery-done") open -= 1;
  }
});

test("the workflow's schedule applies to agents without their own", async () => {
  await using daemon = await openTestDaemon();
  await daemon.start({
    name: "team",
    schedule: { cron: "0 9 * * 1-5", timezone: "Asia/Tokyo" },
    agents: { a: mock, b: { ...mock, schedule: "6h", schedule_prompt: "Count." } },
  });
  const { schedules } = await daemon.call("GET", "/schedules/@team", ScheduleList);
  expect(schedules).toMatchObject([
    { target: "a@team", schedule: { cron: "0 9 * * 1-5", timezone: "Asia/Tokyo" }, prompt: null },
    { target: "b@team", schedule: { interval: "6h" }, prompt: "Count.", lastAt: null },
  ]);
  expect((await daemon.call("GET", "/schedules/b@team", ScheduleList)).schedules).toEqual(schedules.slice(1));
});

test("a run fires no schedule and does not wait for one", async () => {
  await using daemon = await openTestDaemon();
  const agents = { a: { ...mock, schedule: "50ms", script: [[{ wait: "200ms" }, { say: "Done." }]] } };
  const body = { definition: { name: "once", agents, kickoff: "@a go" }, project: daemon.project };
  const events = await Array.fromAsync(daemon.events("/run", { method: "POST", body }));
  expect(events.at(-1)).toMatchObject({ type: "workflow-end", data: { status: "completed", turns: 1 } });
  expect(events.some(({ type }) => type === "schedule-fire")).toBe(false);
});

test("a schedule is set, fires, is replaced and cleared", async () => {
  await using daemon = await openTestDaemon();
  await daemon.start({ name: "team", agents: { a: mock, b: { ...mock, schedule_prompt: "Own words." } } });
  expect((await daemon.call("GET", "/schedules/@team", ScheduleList)).schedules).toEqual([]);
  const body = { schedule: "50ms", prompt: "Tick." };
  const set = await daemon.call("PUT", "/schedules/A@team", ScheduleInfo, { body });
  expect(set).toMatchObject({ target: "a@team", prompt: "Tick.", active: true });
  const [first] = await firings(daemon, 1);
  expect(first).toMatchObject({ agent: "a" });

  await daemon.call("PUT", "/schedules/a@team", ScheduleInfo, { body: { schedule: "1h" } });
  const own = await daemon.call("PUT", "/schedules/b@team", ScheduleInfo, { body: { schedule: "1h" } });
  expect(own.prompt).toBe("Own words.");
  const cleared = await daemon.call("DELETE", "/schedules/@team", ScheduleList);
  expect(cleared.schedules.map(({ target }) => target)).toEqual(["a@team", "b@team"]);
  expect((await daemon.call("GET", "/schedules/@team", ScheduleList)).schedules).toEqual([]);
});

test("a stopped agent or workflow fires nothing, and continues when it is started again", async () => {
  await using daemon = await openTestDaemon();
  await daemon.start({ name: "team", agents: { a: { ...mock, schedule: "50ms" } } });
  await firings(daemon, 1);
  await daemon.call("PATCH", "/agents/a@team", AgentInfo, { body: { stopped: true } });
  const { schedules } = await daemon.call("GET", "/schedules/a@team", ScheduleList);
  expect(schedules).toMatchObject([{ active: false }]);
  const silence = await daemon.store.lastEvent();
  await daemon.call("PATCH", "/agents/a@team", AgentInfo, { body: { stopped: false } });
  await firings(daemon, 1, silence);

  await daemon.ask("DELETE", "/workflows/@team");
  const end = await daemon.store.lastEvent();
  expect((await stored(daemon)).at(-1)?.type).toBe("workflow-end");
  await daemon.call("POST", "/workflows/@team/start", StartResponse, { body: {} });
  await firings(daemon, 1, end);
});

test("the next daemon continues where the last one stopped", async () => {
  await using folder = await temporaryFolder();
  const first = await openTestDaemon(folder.path);
  await first.start({ name: "team", agents: { a: { ...mock, schedule: "50ms" } } });
  await firings(first, 2);
  const used = (await stored(first)).filter(({ type }) => type === "schedule-fire");
  await first[Symbol.asyncDispose]();

  await using second = await openTestDaemon(folder.path);
  const before = await second.store.lastEvent();
  await second.resumeWork();
  const fired = await firings(second, 2, before);
  const slots = [...used, ...fired].map((event) => (event.type === "schedule-fire" ? event.data.slot : 0));
  expect(new Set(slots).size).toBe(slots.length);
});

test("a standalone agent can be created with a schedule, whose messages are private", async () => {
  await using daemon = await openTestDaemon();
  const definition = { ...mock, schedule: "50ms" };
  await daemon.call("POST", "/agents", AgentInfo, { body: { name: "pip", definition, cwd: daemon.project } });
  const [fired] = await firings(daemon, 1);
  const found = await daemon.store.message(fired!.message);
  expect(found?.message).toMatchObject({ sender: "system", recipients: ["pip"], private: true });
});

test("an invalid schedule is refused with the reason", async () => {
  await using daemon = await openTestDaemon();
  await daemon.start({ name: "team", agents: { a: mock } });
  const put = async (body: object, target = "a@team") =>
    (await daemon.ask("PUT", `/schedules/${target}`, { body })).error;
  expect(await put({ schedule: "0 0 30 2 *" })).toMatchObject({
    code: "usage",
    message: expect.stringMatching(/never fires/),
  });
  expect(await put({ schedule: "often" })).toMatchObject({ code: "usage", hint: expect.stringMatching(/5m/) });
  expect(await put({ schedule: { cron: "@daily", timezone: "Mars" } })).toMatchObject({
    message: expect.stringMatching(/time zone/),
  });
  expect(await put({ schedule: "5m", prompt: " " })).toMatchObject({
    code: "usage",
    message: expect.stringMatching(/empty/),
  });
  expect(await put({ schedule: "5m", prompt: "${{ x }}" })).toMatchObject({
    code: "usage",
    message: expect.stringMatching(/'x'/),
  });
  expect(await put({ schedule: "5m", prompt: "x".repeat(300_000) })).toMatchObject({ code: "too-large" });
  expect(await put({ schedule: 5 })).toMatchObject({ code: "usage" });
  expect(await put({ schedule: "5m", color: "red" })).toMatchObject({ code: "usage" });
  expect(await put({ schedule: "5m" }, "@team")).toMatchObject({ code: "usage", hint: "name one as agent@team" });
  expect(await put({ schedule: "5m" }, "z@team")).toMatchObject({ code: "not-found" });
  const body = { project: daemon.project, definition: { name: "x", agents: { a: mock }, schedule: "0 0 30 2 *" } };
  expect((await daemon.ask("POST", "/workflows", { body })).error).toMatchObject({ code: "invalid-workflow" });
});
