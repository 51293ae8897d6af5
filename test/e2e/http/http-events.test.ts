/** The event stream over HTTP: of all or of one, from any place, live or only what is stored, and past a reader that stalls. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { type Socket, connect } from "node:net";
import { createEventParser } from "../../../src/system/sse.ts";
import { type TestDaemon, startDaemon } from "../../fixtures/daemon.ts";
import { openTeam, owe } from "../../fixtures/held-turn.ts";
import { openTestDaemon } from "../../fixtures/open-daemon.ts";
import { createPlace } from "../../fixtures/place.ts";
import { until } from "../../fixtures/until.ts";

describe("GET /events", () => {
  test("gives what is stored, of all workflows or of one, and ends when told not to follow", async () => {
    await using house = await openTestDaemon();
    const [one, two] = [
      await openTeam(house.store, house.project, ["alice"], "one"),
      await openTeam(house.store, house.project, ["bob"], "two"),
    ];
    await owe(house.store, one, "alice");
    await owe(house.store, two, "bob");
    const read = (route: string) => Array.fromAsync(house.events(route));
    const all = await read("/events?follow=0");
    expect(all.map(({ workflow, type }) => `${workflow} ${type}`)).toEqual([
      "one workflow-start",
      "two workflow-start",
      "one message",
      "two message",
    ]);
    expect(await read("/workflows/@two/events?follow=0")).toEqual(all.filter(({ workflow }) => workflow === "two"));
    expect(await read(`/events?follow=0&after=${all[1]!.seq}`)).toEqual(all.slice(2));
    expect(await read(`/events?follow=0&after=${all[3]!.seq}`)).toEqual([]);
  });

  test("Last-Event-ID, which a browser sends by itself, counts more than `after`", async () => {
    await using house = await openTestDaemon();
    const team = await openTeam(house.store, house.project, ["alice"]);
    for (let count = 0; count < 3; count++) await owe(house.store, team, "alice");
    const all = await Array.fromAsync(house.events("/events?follow=0"));
    const headers = { "last-event-id": String(all[2]!.seq) };
    expect(await Array.fromAsync(house.events("/events?follow=0&after=0", { headers }))).toEqual(all.slice(3));
    const nonsense = { "last-event-id": "none" };
    expect(await Array.fromAsync(house.events("/events?follow=0", { headers: nonsense }))).toEqual(all);
  });

  test("goes on with what happens later, and lets go when its reader does", async () => {
    await using house = await openTestDaemon();
    const team = await openTeam(house.store, house.project, ["alice"]);
    const leave = new AbortController();
    const events = house.events("/events", { signal: leave.signal });
    expect((await events.next()).value).toMatchObject({ type: "workflow-start" });
    expect(house.kernel.deltas.heard).toBe(true);
    await owe(house.store, team, "alice", "news");
    expect((await events.next()).value).toMatchObject({ type: "message", data: { content: "news" } });
    leave.abort();
    await events.return(undefined);
    await until(() => !house.kernel.deltas.heard);
  });

  test("is opened at once, says what it is and is kept by nobody", async () => {
    await using house = await openTestDaemon();
    const leave = new AbortController();
    const response = await house.fetch("GET", "/events", { signal: leave.signal });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const first = await response.body?.getReader().read();
    expect(new TextDecoder().decode(first?.value)).toBe(": open\n\n");
    leave.abort();
  });

  test("ends with the daemon, so that nobody waits for ever", async () => {
    const house = await openTestDaemon();
    const response = await house.fetch("GET", "/events");
    const reading = response.text().catch(() => "cut off");
    await house[Symbol.asyncDispose]();
    expect(await reading).toStartWith(": open");
  });
});

/** A reader that takes the beginning of the stream and then no more, until told to. */
async function stall(daemon: TestDaemon, after: number): Promise<Socket> {
  const { host, port, token } = daemon.file;
  const socket = connect(port, host);
  socket.write(
    `GET /events?after=${after} HTTP/1.1\r\nHost: ${host}:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  await new Promise((begun) => socket.once("data", begun));
  return socket.pause();
}

function memoryMiB(pid: number): number {
  const rows = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(rows?.[1]) / 1024;
}

test("readers that stall cost a bounded amount of memory and hold up nobody; one that goes on has missed nothing", async () => {
  await using place = await createPlace();
  const daemon = await startDaemon(place);
  await daemon.start({ name: "loud", agents: { alice: { backend: "mock" }, bob: { backend: "mock" } } });
  const content = "x".repeat(200_000);
  let cursor = 0;
  const speak = async (times: number) => {
    for (let count = 0; count < times; count++) ({ cursor } = await daemon.send({ target: "@loud", content }));
  };
  await speak(10);
  const from = cursor;
  const stalled = await Promise.all(Array.from({ length: 6 }, () => stall(daemon, from)));

  // More than the sockets' buffers hold: from here on, every reader is stuck.
  await speak(70);
  const filled = memoryMiB(daemon.pid);
  await speak(70);
  // Keeping it for each of the six would be 84 MB; what the requests themselves leave to be collected is up to half of that.
  expect(memoryMiB(daemon.pid) - filled).toBeLessThan(64);
  const [healthy] = await daemon.until("message", ({ seq }) => seq === cursor, { after: from });
  expect(healthy?.seq).toBe(cursor);

  const parse = createEventParser();
  const decoder = new TextDecoder();
  const seen: number[] = [];
  const [reader] = stalled;
  const caughtUp = Promise.withResolvers<void>();
  // The sizes of the transfer's chunks are in between; only the places matter here.
  reader?.on("data", (chunk: Buffer) => {
    for (const { id } of parse(decoder.decode(chunk, { stream: true }))) if (id) seen.push(Number(id));
    if (seen.at(-1) === cursor) caughtUp.resolve();
  });
  reader?.resume();
  await caughtUp.promise;
  expect(seen).toEqual(Array.from({ length: 140 }, (_, index) => from + 1 + index));
  for (const socket of stalled) socket.destroy();
  await daemon.shutDown();
}, 20_000);
