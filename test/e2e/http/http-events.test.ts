/** The event stream over HTTP: of all workflows or one, from any position, live or only stored events, with stalled readers. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { type Socket, connect } from "node:net";
import { createEventParser } from "../../../src/system/sse.ts";
import { type TestDaemon, startDaemon } from "../../fixtures/daemon.ts";
import { openTeam, owe } from "../../fixtures/claimed-turn.ts";
import { openTestDaemon } from "../../fixtures/open-daemon.ts";
import { createPlace } from "../../fixtures/place.ts";
import { until } from "../../fixtures/until.ts";

describe("GET /events", () => {
  test("returns the stored events of all workflows or of one, and ends with follow=0", async () => {
    await using daemon = await openTestDaemon();
    const [one, two] = [
      await openTeam(daemon.store, daemon.project, ["alice"], "one"),
      await openTeam(daemon.store, daemon.project, ["bob"], "two"),
    ];
    await owe(daemon.store, one, "alice");
    await owe(daemon.store, two, "bob");
    const read = (route: string) => Array.fromAsync(daemon.events(route));
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

  test("Last-Event-ID, which a browser sends on its own, overrides `after`", async () => {
    await using daemon = await openTestDaemon();
    const team = await openTeam(daemon.store, daemon.project, ["alice"]);
    for (let count = 0; count < 3; count++) await owe(daemon.store, team, "alice");
    const all = await Array.fromAsync(daemon.events("/events?follow=0"));
    const headers = { "last-event-id": String(all[2]!.seq) };
    expect(await Array.fromAsync(daemon.events("/events?follow=0&after=0", { headers }))).toEqual(all.slice(3));
    const nonsense = { "last-event-id": "none" };
    expect(await Array.fromAsync(daemon.events("/events?follow=0", { headers: nonsense }))).toEqual(all);
  });

  test("continues with new events, and stops listening when its reader leaves", async () => {
    await using daemon = await openTestDaemon();
    const team = await openTeam(daemon.store, daemon.project, ["alice"]);
    const leave = new AbortController();
    const events = daemon.events("/events", { signal: leave.signal });
    expect((await events.next()).value).toMatchObject({ type: "workflow-start" });
    expect(daemon.kernel.deltas.hasListeners).toBe(true);
    await owe(daemon.store, team, "alice", "news");
    expect((await events.next()).value).toMatchObject({ type: "message", data: { content: "news" } });
    leave.abort();
    await events.return(undefined);
    await until(() => !daemon.kernel.deltas.hasListeners);
  });

  test("opens at once, with its content type and without caching", async () => {
    await using daemon = await openTestDaemon();
    const leave = new AbortController();
    const response = await daemon.fetch("GET", "/events", { signal: leave.signal });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const first = await response.body?.getReader().read();
    expect(new TextDecoder().decode(first?.value)).toBe(": open\n\n");
    leave.abort();
  });

  test("ends with the daemon, so that no reader waits forever", async () => {
    const daemon = await openTestDaemon();
    const response = await daemon.fetch("GET", "/events");
    const reading = response.text().catch(() => "cut off");
    await daemon[Symbol.asyncDispose]();
    expect(await reading).toStartWith(": open");
  });
});

/** A reader that reads the start of the stream, and then nothing until it is resumed. */
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

test("stalled readers use a bounded amount of memory and delay nothing; one that resumes has missed nothing", async () => {
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
  // Buffering it for all six readers would take 84 MB; garbage of the requests themselves is up to half of that.
  expect(memoryMiB(daemon.pid) - filled).toBeLessThan(64);
  const [healthy] = await daemon.until("message", ({ seq }) => seq === cursor, { after: from });
  expect(healthy?.seq).toBe(cursor);

  const parse = createEventParser();
  const decoder = new TextDecoder();
  const seen: number[] = [];
  const [reader] = stalled;
  const caughtUp = Promise.withResolvers<void>();
  // The raw stream also contains chunk sizes; only the event ids matter here.
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
