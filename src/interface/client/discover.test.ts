import { describe, expect, test } from "bun:test";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPlace, type Place } from "../../../test/fixtures/place.ts";
import { isRunning } from "../../../test/fixtures/running.ts";
import { homeFiles } from "../../system/home.ts";
import { version } from "../../protocol/version.ts";
import { findDaemon } from "./daemon-file.ts";
import { ensureDaemon, shutDown, speaksSameProtocol } from "./discover.ts";

const healthy = { pid: 1, version, uptime: 1, workflows: 1, running: 0, agents: 1, turns: 0 };

function discover(place: Place, notes: string[] = []) {
  return ensureDaemon({ home: place.home, env: place.env, announce: (text) => notes.push(text) });
}

function writeDaemonFile(place: Place, content: unknown): void {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  writeFileSync(join(place.home, homeFiles.daemon), text, { mode: 0o600 });
}

function socketOf(place: Place): string {
  return join(place.home, homeFiles.socket);
}

describe("a home without a daemon", () => {
  test("gets one, which is then found; after a shutdown the home is free again", async () => {
    await using place = await createPlace();
    const notes: string[] = [];
    const started = await discover(place, notes);
    const found = await discover(place, notes);
    expect(found.health.pid).toBe(started.health.pid);
    expect(notes).toEqual(["started the daemon"]);
    expect(statSync(join(place.home, homeFiles.log)).mode & 0o777).toBe(0o600);
    await shutDown(place.home, found);
    expect(await findDaemon(place.home)).toBeUndefined();
    expect((await discover(place)).health.pid).not.toBe(started.health.pid);
  }, 20_000);

  test("gets exactly one, even if many commands look for it at once", async () => {
    await using place = await createPlace();
    const notes: string[] = [];
    const found = await Promise.all(Array.from({ length: 20 }, () => discover(place, notes)));
    expect(new Set(found.map(({ health }) => health.pid)).size).toBe(1);
    expect(notes).toEqual(["started the daemon"]);
  }, 30_000);
});

describe("a misleading daemon file", () => {
  test.each([
    ["is not JSON", "{ half a fi"],
    ["is JSON of another shape", [1, 2, 3]],
    ["lacks a token", { pid: 1, host: "127.0.0.1", port: 1, version, startedAt: 0 }],
    ["has no socket next to it", { pid: 1, host: "127.0.0.1", port: 1, token: "x", version, startedAt: 0 }],
  ])("that %s is ignored", async (_, content) => {
    await using place = await createPlace();
    writeDaemonFile(place, content);
    expect(await findDaemon(place.home)).toBeUndefined();
  });

  test("is ignored if its socket belongs to another program", async () => {
    await using place = await createPlace();
    using _ = Bun.serve({ unix: socketOf(place), fetch: () => Response.json({ hello: "world" }) });
    writeDaemonFile(place, { pid: 1, host: "127.0.0.1", port: 1, token: "x", version, startedAt: 0 });
    expect(await findDaemon(place.home)).toBeUndefined();
  });

  test("with the process id of another program does not affect that program", async () => {
    await using place = await createPlace();
    const decoy = Bun.spawn(["sleep", "60"], { env: place.env });
    writeDaemonFile(place, { pid: decoy.pid, host: "127.0.0.1", port: 1, token: "x", version, startedAt: 0 });
    const daemon = await discover(place);
    expect(daemon.health.pid).not.toBe(decoy.pid);
    expect(isRunning(decoy.pid)).toBe(true);
  }, 20_000);
});

/** Answers like a daemon of that version; on shutdown it clears its file and exits, which removes its socket. */
function otherDaemon(place: Place, theirs: string, running: number) {
  const server = Bun.serve({
    unix: socketOf(place),
    fetch(request) {
      if (request.method === "POST") {
        writeDaemonFile(place, "");
        void server.stop(true);
      }
      return Response.json({ ...healthy, pid: process.pid, version: theirs, running });
    },
  });
  writeDaemonFile(place, {
    pid: process.pid,
    host: "127.0.0.1",
    port: 1,
    token: "x",
    version: theirs,
    startedAt: 0,
  });
  return server;
}

describe("a daemon of another version", () => {
  test("is replaced when nothing runs in it", async () => {
    await using place = await createPlace();
    using _ = otherDaemon(place, "99.0.0", 0);
    const daemon = await discover(place);
    expect(daemon.health.version).toBe(version);
  }, 20_000);

  test("is kept while something runs, if the protocol is the same", async () => {
    await using place = await createPlace();
    const theirs = version.replace(/\d+$/, "99");
    using _ = otherDaemon(place, theirs, 2);
    const notes: string[] = [];
    expect((await discover(place, notes)).health.version).toBe(theirs);
    expect(notes).toEqual([expect.stringContaining(`the daemon is version ${theirs}`)]);
  });

  test("is refused while something runs, if the protocol differs", async () => {
    await using place = await createPlace();
    using _ = otherDaemon(place, "99.0.0", 2);
    await expect(discover(place)).rejects.toMatchObject({
      code: "daemon-unreachable",
      hint: expect.stringContaining("99.0.0"),
    });
  });
});

test.each([
  ["0.1.0", "0.1.7", true],
  ["0.1.0", "0.2.0", false],
  ["1.2.0", "1.9.0", true],
  ["1.2.0", "2.2.0", false],
])("versions %s and %s speak the same protocol: %p", (theirs, ours, same) => {
  expect(speaksSameProtocol(theirs, ours)).toBe(same);
});

test("a daemon that cannot start says why", async () => {
  await using place = await createPlace();
  writeFileSync(join(place.home, homeFiles.database), "this is no database, and never was one. ".repeat(200));
  await expect(discover(place)).rejects.toMatchObject({
    code: "daemon-unreachable",
    message: expect.stringMatching(/^the daemon did not start:\nthe database \S+ is not a database\nmove it elsewhere/),
  });
}, 20_000);
