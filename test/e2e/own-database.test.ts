/** `context.config.db`: an instance with its own database, through restarts, other daemons and damaged files. */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { WorkflowInput } from "../../src/protocol/definition/definition.ts";
import { homeFiles } from "../../src/system/home.ts";
import { DeliveryList } from "../../src/protocol/http/inbox.ts";
import { SendResponse, Why } from "../../src/protocol/http/messages.ts";
import { MessageList, WorkflowList } from "../../src/protocol/http/workflows.ts";
import { RunResult, WorkflowInfo } from "../../src/protocol/instance.ts";
import { startDaemon } from "../fixtures/daemon.ts";
import { temporaryFolder } from "../fixtures/folder.ts";
import { type OpenDaemon, openTestDaemon } from "../fixtures/open-daemon.ts";
import { createPlace } from "../fixtures/place.ts";
import { until } from "../fixtures/until.ts";

const file = "data/${{ workflow.name }}-${{ workflow.tag }}.db";
const team = (db: string | undefined = file, more: Partial<WorkflowInput> = {}): WorkflowInput => ({
  name: "team",
  agents: { alice: { backend: "mock" }, bob: { backend: "mock" } },
  context: { config: { ...(db !== undefined && { db }) } },
  ...more,
});

const body = (daemon: OpenDaemon, definition: WorkflowInput, more: object = {}) => ({
  body: { definition, project: daemon.project, ...more },
});
const run = (daemon: OpenDaemon, definition: WorkflowInput, more: object = {}) =>
  daemon.call("POST", "/serve", RunResult, body(daemon, { kickoff: "@alice go", ...definition }, more));
const send = (daemon: OpenDaemon, content: string) =>
  daemon.call("POST", "/messages", SendResponse, { body: { target: "@team", content, cwd: daemon.project } });
const messages = async (daemon: OpenDaemon) =>
  (await daemon.call("GET", "/workflows/@team/messages?limit=500", MessageList)).messages;
const info = (daemon: OpenDaemon) => daemon.call("GET", "/workflows/@team", WorkflowInfo);

/** The number of rows in a table of an SQLite file. */
function count(path: string, table: string): number {
  const database = new Database(path, { readonly: true });
  try {
    return database.query<{ count: number }, []>(`SELECT COUNT(*) AS count FROM ${table}`).get()?.count ?? 0;
  } finally {
    database.close();
  }
}

describe("an instance with its own database", () => {
  test("keeps its data in its file, and is registered in the home", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "project/data/team-main.db");
    {
      await using daemon = await openTestDaemon(folder.path);
      expect(await run(daemon, team())).toMatchObject({ status: "completed" });
      expect((await daemon.call("GET", "/workflows", WorkflowList)).workflows).toMatchObject([
        { target: "@team", state: "ended", result: { status: "completed" } },
      ]);
    }
    expect(count(path, "messages")).toBeGreaterThan(0);
    expect(count(join(folder.path, "home/agent-worker.db"), "messages")).toBe(0);
    expect(count(join(folder.path, "home/agent-worker.db"), "workflows")).toBe(1);
    await using daemon = await openTestDaemon(folder.path);
    await daemon.resumeWork();
    const [kickoff] = await messages(daemon);
    const why = await daemon.call("GET", `/messages/${kickoff?.id}/why`, Why);
    expect(why).toMatchObject({ target: "@team", deliveries: [{ agent: "alice", state: "done" }] });
    await run(daemon, team());
    expect((await messages(daemon)).map(({ seq }) => seq)).toEqual(
      expect.arrayContaining([1, kickoff?.seq, why.message.seq]),
    );
    expect(await info(daemon)).toMatchObject({ run: 2, state: "ended" });
  });

  test("starts over with fresh, and its file is deleted when it is removed", async () => {
    await using daemon = await openTestDaemon();
    await run(daemon, team());
    const [old] = await messages(daemon);
    await run(daemon, team(), { fresh: true });
    const [first] = await messages(daemon);
    expect([first?.seq, first?.id === old?.id]).toEqual([1, false]);
    const path = join(daemon.project, "data/team-main.db");
    expect(existsSync(path)).toBe(true);
    expect((await daemon.ask("DELETE", "/workflows/@team?purge=1")).status).toBe(200);
    expect(["", "-wal", "-shm"].map((suffix) => existsSync(path + suffix))).toEqual([false, false, false]);
    await run(daemon, team());
    expect((await info(daemon)).run).toBe(1);
  });

  test("is a single complete file before the daemon's socket disappears", async () => {
    await using folder = await temporaryFolder();
    const socketAtClosing: boolean[] = [];
    {
      await using daemon = await openTestDaemon(folder.path);
      const { store, home } = daemon;
      await run(daemon, team());
      const close = store.close;
      store.close = async () => {
        socketAtClosing.push(existsSync(join(home, homeFiles.socket)));
        await close();
        socketAtClosing.push(existsSync(join(home, homeFiles.socket)));
      };
    }
    expect(socketAtClosing).toEqual([true, true]);
    expect(existsSync(join(folder.path, "home", homeFiles.socket))).toBe(false);
    expect(readdirSync(join(folder.path, "project/data"))).toEqual(["team-main.db"]);
    expect(readdirSync(join(folder.path, "home"))).not.toContain(`${homeFiles.database}-wal`);
  });

  test("continues with its undelivered messages after kill -9", async () => {
    await using place = await createPlace();
    let daemon = await startDaemon(place);
    await daemon.start(team(file, { agents: { alice: { backend: "mock", script: [[{ wait: "30s" }]] } } }));
    const sent = await daemon.send({ target: "@team", content: "@alice go" });
    await daemon.until("turn-start");
    await daemon.crash();
    daemon = await startDaemon(place);
    const [again] = await daemon.until("turn-start", ({ data }) => data.attempt === 2);
    expect(again?.data.messages).toEqual([sent.message.id]);
    expect(await daemon.workflow("@team")).toMatchObject({ state: "running", messages: 1 });
    await daemon.shutDown();
  });

  test("continues as the same instance in a new home", async () => {
    await using folder = await temporaryFolder();
    {
      await using daemon = await openTestDaemon(folder.path);
      await daemon.start(team());
      await send(daemon, "kept");
    }
    rmSync(join(folder.path, "home"), { recursive: true });
    await using daemon = await openTestDaemon(folder.path);
    await daemon.start(team());
    expect((await messages(daemon)).map(({ content }) => content)).toEqual(["kept"]);
    expect(await info(daemon)).toMatchObject({ run: 2, state: "running" });
  });
});

describe("a project that was moved", () => {
  const placed = (project: string, more: object = {}) => ({ body: { definition: team(), project, ...more } });

  test.each([
    ["the same daemon", { restart: false, newHome: false }],
    ["the next daemon", { restart: true, newHome: false }],
    ["a new home", { restart: true, newHome: true }],
  ])("continues with its database in %s", async (_, { restart, newHome }) => {
    await using folder = await temporaryFolder();
    const [from, to] = [join(folder.path, "from"), join(folder.path, "to")];
    mkdirSync(from);
    let daemon = await openTestDaemon(folder.path);
    try {
      await daemon.ask("POST", "/workflows", placed(from));
      await daemon.call("POST", "/messages", SendResponse, { body: { target: "@team", content: "kept", cwd: from } });
      await daemon.ask("DELETE", "/workflows/@team");
      if (restart) await daemon.close();
      renameSync(from, to);
      if (newHome) rmSync(daemon.home, { recursive: true });
      if (restart) daemon = await openTestDaemon(folder.path);
      expect((await daemon.ask("POST", "/workflows", placed(to))).text).toContain('"run":2');
      expect((await messages(daemon)).map(({ content }) => content)).toEqual(["kept"]);
      expect((await daemon.call("GET", "/workflows", WorkflowList)).workflows).toMatchObject([{ project: to, run: 2 }]);
    } finally {
      await daemon.close();
    }
  });

  test("starts over with fresh", async () => {
    await using daemon = await openTestDaemon();
    const [from, to] = [join(daemon.project, "from"), join(daemon.project, "to")];
    mkdirSync(from);
    await daemon.call("POST", "/serve", RunResult, {
      body: { definition: { ...team(), kickoff: "@alice go" }, project: from },
    });
    renameSync(from, to);
    expect((await daemon.ask("POST", "/workflows", placed(to, { fresh: true }))).text).toContain('"run":1');
  });

  test("while it runs keeps its database locked", async () => {
    await using daemon = await openTestDaemon();
    const [from, to] = [join(daemon.project, "from"), join(daemon.project, "to")];
    mkdirSync(from);
    await daemon.ask("POST", "/workflows", placed(from));
    renameSync(from, to);
    expect((await daemon.ask("POST", "/workflows", placed(to))).error?.message).toContain("is in use");
  });

  test("is distinguished from a copy: the copy is refused, with a hint", async () => {
    await using daemon = await openTestDaemon();
    const [from, to] = [join(daemon.project, "from"), join(daemon.project, "to")];
    mkdirSync(from);
    await daemon.ask("POST", "/workflows", placed(from));
    await daemon.ask("DELETE", "/workflows/@team");
    cpSync(from, to, { recursive: true });
    expect((await daemon.ask("POST", "/workflows", placed(to))).error).toMatchObject({
      code: "conflict",
      message: expect.stringContaining(`is the database of @team in ${from}`),
      hint: expect.stringContaining("if it is a copy, delete it"),
    });
  });
});

describe("a database file", () => {
  test.each<[string, (path: string) => void, RegExp]>([
    [
      "is not a database",
      (path) => writeFileSync(path, "some text, but more than a few bytes".repeat(50)),
      /is not a database/,
    ],
    ["belongs to another program", (path) => foreign(path), /it contains other tables/],
    ["was written by a newer version", (path) => newer(path), /newer version/],
    ["is a folder", (path) => mkdirSync(path), /is not a file/],
    ["is a link", (path) => symlinkSync("/tmp/elsewhere.db", path), /is behind a symbolic link/],
  ])("that %s is refused and left unchanged", async (_, make, message) => {
    await using daemon = await openTestDaemon();
    const path = join(daemon.project, "team.db");
    make(path);
    const { error } = await daemon.ask("POST", "/workflows", body(daemon, team("team.db")));
    expect(error?.message).toMatch(message);
    expect(error?.message).toContain("team.db");
    expect((await daemon.call("GET", "/workflows", WorkflowList)).workflows).toEqual([]);
    rmSync(path, { recursive: true });
    expect((await daemon.ask("POST", "/workflows", body(daemon, team("team.db")))).status).toBe(201);
  });

  test("behind a link out of the project is not created", async () => {
    await using daemon = await openTestDaemon();
    symlinkSync(daemon.home, join(daemon.project, "data"));
    const { error } = await daemon.ask("POST", "/workflows", body(daemon, team()));
    expect(error).toMatchObject({ code: "usage", message: expect.stringContaining("outside the project") });
    expect(existsSync(join(daemon.home, "team-main.db"))).toBe(false);
  });

  test("belongs to one instance: another is refused, with the owner's name", async () => {
    await using daemon = await openTestDaemon();
    await run(daemon, team("team.db"));
    const { error } = await daemon.ask("POST", "/workflows", body(daemon, team("team.db"), { tag: "two" }));
    expect(error).toMatchObject({ code: "conflict", hint: expect.stringContaining("${{ workflow.tag }}") });
    expect(error?.message).toContain("is the database of @team in");
  });

  test("belongs to one daemon: another is refused because it is in use", async () => {
    await using daemon = await openTestDaemon();
    await using other = await openTestDaemon();
    await daemon.start(team());
    const { error } = await other.ask("POST", "/workflows", {
      body: { definition: team(), project: daemon.project },
    });
    expect(error?.message).toMatch(/is in use by another daemon/);
    expect(await info(daemon)).toMatchObject({ state: "running" });
  });

  test("that is missing ends its run as lost, is reported, and is created again only with fresh", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "project/data/team-main.db");
    {
      await using daemon = await openTestDaemon(folder.path);
      await daemon.start(team());
      await send(daemon, "kept");
    }
    renameSync(path, `${path}.away`);
    await using daemon = await openTestDaemon(folder.path);
    expect(await info(daemon)).toMatchObject({ state: "ended", result: { status: "lost", exitCode: 1 } });
    const missing = { code: "not-found", message: expect.stringContaining("is missing") };
    expect((await daemon.ask("GET", "/workflows/@team/messages")).error).toMatchObject(missing);
    expect((await daemon.ask("POST", "/workflows", body(daemon, team()))).error).toMatchObject({
      ...missing,
      hint: "put the file back",
      actions: [{ do: "start-fresh" }, { do: "remove", target: "@team" }],
    });
    expect((await daemon.ask("POST", "/workflows", body(daemon, team(), { fresh: true }))).status).toBe(201);
    expect(await messages(daemon)).toEqual([]);
  });

  test.each<[string, (project: string) => void]>([
    ["is gone", () => undefined],
    ["has become a file", (project) => writeFileSync(project, "not a folder")],
  ])("whose project %s affects only its instance, which can be removed", async (_, replace) => {
    await using folder = await temporaryFolder();
    const project = join(folder.path, "elsewhere");
    const ended = { ...team("e.db"), name: "ended", kickoff: "@alice go" };
    {
      await using daemon = await openTestDaemon(folder.path);
      mkdirSync(project);
      await daemon.call("POST", "/serve", RunResult, { body: { definition: ended, project } });
      await daemon.ask("POST", "/workflows", { body: { definition: team(), project } });
      await daemon.start({ name: "plain", agents: { carol: { backend: "mock" } } });
    }
    rmSync(project, { recursive: true });
    replace(project);
    await using daemon = await openTestDaemon(folder.path);
    await daemon.resumeWork();
    const { workflows } = await daemon.call("GET", "/workflows", WorkflowList);
    expect(workflows.map(({ name, result }) => [name, result?.status]).sort()).toEqual([
      ["ended", "completed"],
      ["plain", undefined],
      ["team", "lost"],
    ]);
    const missing = { code: "not-found", message: expect.stringContaining("e.db is missing") };
    expect((await daemon.ask("GET", "/workflows/@ended/messages")).error).toMatchObject(missing);
    for (const target of ["@ended", "@team"]) {
      expect((await daemon.ask("DELETE", `/workflows/${target}?purge=1`)).status).toBe(200);
    }
    expect((await daemon.call("GET", "/workflows", WorkflowList)).workflows).toMatchObject([{ name: "plain" }]);
  });

  test("that is deleted with its project while the instance runs does not prevent stop and remove", async () => {
    await using daemon = await openTestDaemon();
    await daemon.start(team());
    rmSync(daemon.project, { recursive: true });
    expect((await daemon.ask("DELETE", "/workflows/@team")).status).toBe(200);
    expect((await daemon.ask("DELETE", "/workflows/@team?purge=1")).status).toBe(200);
    expect((await daemon.call("GET", "/workflows", WorkflowList)).workflows).toEqual([]);
  });

  test.each<[string, (path: string) => void]>([
    ["no longer a database", (path) => writeFileSync(path, "some text, but more than a few bytes".repeat(50))],
    ["damaged inside", damage],
  ])("that is %s ends its run as lost; the instance can be removed, and the file is kept", async (_, spoil) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "project/data/team-main.db");
    {
      await using daemon = await openTestDaemon(folder.path);
      await daemon.start(team());
      await send(daemon, "kept");
    }
    spoil(path);
    await using daemon = await openTestDaemon(folder.path);
    await daemon.resumeWork();
    expect(await info(daemon)).toMatchObject({ state: "ended", result: { status: "lost" } });
    expect((await daemon.ask("DELETE", "/workflows/@team?purge=1")).status).toBe(200);
    expect((await daemon.call("GET", "/workflows", WorkflowList)).workflows).toEqual([]);
    expect(existsSync(path)).toBe(true);
  });

  test("that is new in the workflow's config does not split its history", async () => {
    await using daemon = await openTestDaemon();
    await run(daemon, team(undefined, { context: {} }));
    const { error } = await daemon.ask("POST", "/workflows", body(daemon, team()));
    expect(error?.message).toMatch(/the history of @team is in the home's database, not in .*team-main\.db/);
    expect((await daemon.ask("POST", "/workflows", body(daemon, team(), { fresh: true }))).status).toBe(201);
    await daemon.ask("DELETE", "/workflows/@team");
    const back = await daemon.ask("POST", "/workflows", body(daemon, team(undefined, { context: {} })));
    expect(back.error?.message).toMatch(/is in .*team-main\.db, not in the home's database/);
  });
});

test("undelivered messages survive a restart, and one stream shows the events of all databases", async () => {
  await using folder = await temporaryFolder();
  {
    await using daemon = await openTestDaemon(folder.path);
    await daemon.start(team());
    await daemon.ask("PATCH", "/agents/alice@team", { body: { stopped: true } });
    await daemon.start({ name: "plain", agents: { carol: { backend: "mock" } } });
    await send(daemon, "@alice later");
  }
  await using daemon = await openTestDaemon(folder.path);
  await daemon.resumeWork();
  const owed = await daemon.call("GET", "/inbox/@team", DeliveryList);
  expect(owed.deliveries).toMatchObject([{ agent: "alice", state: "parked" }]);
  await daemon.ask("PATCH", "/agents/alice@team", { body: { stopped: false } });
  await until(async () => (await daemon.call("GET", "/inbox/@team", DeliveryList)).deliveries.length === 0);
  const seqs: number[] = [];
  const names = new Set<string>();
  for await (const { seq, workflow } of daemon.events("/events?follow=0")) {
    seqs.push(seq);
    names.add(workflow);
  }
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  expect(names).toEqual(new Set(["team", "plain"]));
});

function foreign(path: string): void {
  const database = new Database(path);
  database.run("CREATE TABLE songs (title TEXT)");
  database.close();
}

function newer(path: string): void {
  const database = new Database(path);
  database.run("PRAGMA user_version = 999");
  database.close();
}

/** Overwrites everything after the first page; the header stays readable. */
function damage(path: string): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, 4096));
}
