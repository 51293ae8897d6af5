/** The store's contract on SQLite, in memory and in a file, and tests that need a file. */
import { afterAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRoutedStore } from "../../src/daemon/store/routed-store.ts";
import { openSqliteStore } from "../../src/daemon/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/daemon/store/store.ts";
import { storeContract } from "./store.ts";
import { Clock } from "./store/clock.ts";
import { draft, openTeam, Team } from "./store/team.ts";

const folder = mkdtempSync(join(tmpdir(), "store-contract-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** An empty database with its schema. Each migration is flushed to disk, which takes longer than most cases. */
const template = join(folder, "template.db");
await openSqliteStore({ path: template, now: Date.now, random: Math.random }).close();

let files = 0;
function newPath(): string {
  return join(folder, `${++files}.db`);
}

function openAt(path: string, clock: { now(): number }): Store {
  return openSqliteStore({ path: prepared(path), now: clock.now, random: Math.random });
}

function prepared(path: string): string {
  if (path !== ":memory:" && !existsSync(path)) copyFileSync(template, path);
  return path;
}

// Every case runs twice: on SQLite itself, and through the router, which has its own line for each operation. Both
// are in memory, where a store opens several times faster than on disk.
storeContract("SQLite in memory", ({ now }) => openAt(":memory:", { now }));
storeContract("the router, with instances in memory", ({ now }) => {
  const store = openRouter({ now });
  return {
    ...store,
    openRun(request) {
      const definition = {
        ...request.definition,
        context: { ...request.definition.context, provider: "memory" as const },
      };
      return store.openRun({ ...request, definition });
    },
  };
});

// A file uses the same SQL. It differs in how commits are written: several at once as one, some flushed to disk and
// some not, and read again after the daemon exits.
storeContract("SQLite on a file", ({ now }) => openAt(newPath(), { now }), ["append", "claims", "recovery"]);

// All instances are in one database here: each is registered once, and no event is dropped as a duplicate.
storeContract("the router, with instances in the home's database", ({ now }) => openRouter({ now }), [
  "instances",
  "ending",
  "recovery",
  "events",
]);

// Files differ from databases in memory in how they are opened, registered, synchronised, cleared and removed.
storeContract("the router, with instances in files of their own", openRouterOfFiles, [
  "instances",
  "ending",
  "recovery",
  "events",
  "history",
]);

function openRouterOfFiles({ now }: { now(): number }): Store {
  // The suite's projects do not exist: all their files are in one folder, distinguished by name.
  const own = newPath();
  const store = openRouter({ now }, (path) => `${own}-${encodeURIComponent(path)}`);
  return {
    ...store,
    openRun(request) {
      const db = "${{ workflow.name }}-${{ workflow.tag }}.db";
      const context = { ...request.definition.context, provider: "sqlite" as const, config: { db } };
      return store.openRun({ ...request, definition: { ...request.definition, context } });
    },
  };
}

function openRouter(clock: { now(): number }, locate = (path: string) => path): Store {
  const storing = { path: ":memory:", now: clock.now, random: Math.random, order: { last: 0 } };
  return createRoutedStore(openSqliteStore(storing), (path) =>
    openSqliteStore({ ...storing, path: prepared(locate(path)), exclusive: true }),
  );
}

describe("the router", () => {
  const definition = { name: "own", agents: { alice: {} }, context: { config: { db: "own.db" } } };
  const request = { definition, tag: "main", project: "/p", dir: "/p", mode: "start" as const, fresh: false };
  const end = { status: "stopped", exitCode: 0, reason: null } as const;

  test("updates the registration to match a file that a crash left ahead or behind", async () => {
    const [path, file, clock] = [newPath(), newPath(), new Clock()];
    const open = () => createRoutedStore(openAt(path, clock), () => openAt(file, clock));
    const first = open();
    const { instance } = await first.openRun(request);
    await first.close();
    const beside = openAt(file, clock);
    await beside.endRun(instance.id, end);
    await beside.close();
    const second = open();
    await second.recover();
    expect(await second.instances({ state: "running" })).toEqual([]);
    await second.close();
    const home = openAt(path, clock);
    await home.reopen(instance.id, "start", []);
    await home.close();
    const third = open();
    await third.recover();
    expect(await third.instances({ state: "running" })).toEqual([]);
    expect(await third.instance(instance.id)).toMatchObject({ state: "stopped" });
    await third.close();
  });

  test("ends an instance that was registered but never opened as lost", async () => {
    const [path, file, clock] = [newPath(), newPath(), new Clock()];
    const home = openAt(path, clock);
    const { instance } = await home.openRun(request);
    await home.close();
    const router = createRoutedStore(openAt(path, clock), () => openAt(file, clock));
    await router.recover();
    expect((await router.workflowInfo(instance.id)).result).toMatchObject({
      status: "lost",
      reason: "the daemon exited before the run began",
    });
    expect((await router.openRun(request)).instance).toMatchObject({ id: instance.id, run: 2 });
    await router.close();
  });

  test("rejects a file that contains another instance, even one that the home does not know", async () => {
    const [file, clock] = [newPath(), new Clock()];
    const open = () => createRoutedStore(openAt(newPath(), clock), () => openAt(file, clock));
    const first = open();
    await first.openRun(request);
    await first.close();
    const second = open();
    const other = { ...request, definition: { ...definition, name: "other" } };
    await expect(second.openRun(other)).rejects.toThrow("is the database of @own in /p");
    expect(await second.instances()).toEqual([]);
    await second.close();
  });

  test("ends an instance that was in the memory of an earlier daemon as lost", async () => {
    const [path, clock] = [newPath(), new Clock()];
    const open = () => createRoutedStore(openAt(path, clock), (own) => openAt(own, clock));
    const first = open();
    const context = { provider: "memory" as const };
    const brief = { ...request, definition: { name: "brief", agents: { alice: {} }, context }, mode: "run" as const };
    const { instance } = await first.openRun(brief);
    await first.kickoff(instance.id, draft("user", "@alice go", { mentions: ["alice"] }));
    expect(await first.messages(instance.id, "client", { limit: 10 })).toHaveLength(1);
    await first.close();
    const second = open();
    await second.recover();
    const { state, result } = await second.workflowInfo(instance.id);
    expect({ state, result }).toMatchObject({ state: "ended", result: { status: "lost", exitCode: 1 } });
    expect((await second.openRun(brief)).instance).toMatchObject({ id: instance.id, run: 2 });
    await second.close();
  });

  test("returns the events of all instances in one order, each once", async () => {
    const clock = new Clock();
    const store = openRouter(clock);
    const open = (name: string, provider: "memory" | "sqlite") =>
      store.openRun({
        definition: { name, agents: { alice: {} }, context: { provider } },
        tag: "main",
        project: "/p",
        dir: "/p",
        mode: "run",
        fresh: false,
      });
    const brief = await open("brief", "memory");
    const kept = await open("kept", "sqlite");
    for (const { instance } of [brief, kept, brief, kept]) {
      await store.append(instance.id, draft("user", "hello", {}));
    }
    const events = await store.events({ after: 0, limit: 100 });
    expect(events.map(({ workflow, type }) => `${workflow} ${type}`)).toEqual([
      "brief workflow-start",
      "kept workflow-start",
      "brief message",
      "kept message",
      "brief message",
      "kept message",
    ]);
    expect(new Set(events.map(({ seq }) => seq)).size).toBe(events.length);
    await store.close();
  });
});

describe("SQLite with a long history", () => {
  test("reads open deliveries without scanning done ones", async () => {
    const [path, clock] = [newPath(), new Clock()];
    const store = openAt(path, clock);
    const review = await openTeam(store, clock);
    const scans: string[] = [];
    const { prepare } = Database.prototype;
    const probe = new Database(path);
    Database.prototype.prepare = function (this: Database, sql: string, ...rest: []) {
      if (/\bdeliveries\b/.test(sql) && /^\s*(SELECT|WITH|UPDATE|DELETE)/.test(sql)) {
        const plan = prepare.call(probe, `EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
        // Through all deliveries, or through all messages of the workflow to find their deliveries.
        const walks = plan.filter(
          ({ detail }) =>
            /SCAN (d|deliveries)\b(?!.*deliveries_open)/.test(detail) || /SEARCH m\b.*\(workflow=\?/.test(detail),
        );
        if (walks.length > 0) scans.push(sql);
      }
      return prepare.call(this, sql, ...rest);
    } as typeof prepare;
    try {
      const fresh = openAt(path, clock);
      const again = new Team(fresh, clock, review.id, review.request);
      await again.say("one", ["alice"]);
      const claim = await again.claim("alice");
      await fresh.checkInbox(claim);
      await fresh.peekInbox(claim);
      await again.succeed(claim);
      await again.say("two", ["bob"]);
      await again.workOff("bob");
      await fresh.owed();
      await fresh.quiescent(review.id);
      await fresh.closeRun(review.id);
      await fresh.close();
    } finally {
      Database.prototype.prepare = prepare;
      probe.close();
      await store.close();
    }
    expect(scans).toEqual([]);
  });
});

describe("SQLite on a file, closed and opened again", () => {
  test("never uses an event number that was reserved", async () => {
    const [path, clock] = [newPath(), new Clock()];
    const first = openAt(path, clock);
    await first.reserveEvents(1_000);
    const { cursor } = await (await openTeam(first, clock)).say("before", ["alice"]);
    await first.close();
    const second = openAt(path, clock);
    const [review] = await second.instances();
    const later = await second.append(review!.id, draft("user", "after", {}));
    expect(cursor).toBeLessThan(1_000);
    expect(later.cursor).toBeGreaterThan(1_000);
    await second.close();
  });

  test("keeps everything as it was", async () => {
    const [path, clock] = [newPath(), new Clock()];
    const store = openAt(path, clock);
    const before = await openTeam(store, clock);
    await before.say("done 🚀", ["alice"]);
    await before.workOff("alice");
    await before.say("dead", ["bob"]);
    await before.killDelivery("bob");
    await before.say("claimed", ["carol"], { urgent: true });
    const claim = await before.claim("carol", "secret");
    await store.appendFrom(claim, draft("carol", "@alice next", { mentions: ["alice"] }));
    const kept = await allOf(before);
    await store.close();

    const again = openAt(path, clock);
    const after = new Team(again, clock, before.id, before.request);
    expect(await allOf(after)).toEqual(kept);
    expect(await again.claimByToken(before.id, "secret")).toMatchObject({ turn: claim.turn, fence: claim.fence });
    await again.recover();
    expect(await after.claim("carol")).toMatchObject({ turn: claim.turn, attempt: 2 });
    const seqs = (await again.messages(before.id, "client", { limit: 10 })).map(({ seq }) => seq);
    expect((await after.say("the seq continues", [])).message.seq).toBe(seqs.length + 1);
    await again.close();
    expect(integrityOf(path)).toBe("ok");
  });

  test("contains all acknowledged writes, although it was never closed", async () => {
    const [path, clock] = [newPath(), new Clock()];
    const abandoned = openAt(path, clock);
    const before = await openTeam(abandoned, clock);
    const sent = await Promise.all(Array.from({ length: 20 }, (_, index) => before.say(`${index}`, ["alice"])));
    const reader = openAt(path, clock);
    const after = new Team(reader, clock, before.id, before.request);
    for (const message of sent) expect(await after.state(message, "alice")).toBe("pending");
    await reader.close();
    await abandoned.close();
    expect(integrityOf(path)).toBe("ok");
  });

  test("rejects a database written by a newer version", async () => {
    const path = newPath();
    await openAt(path, new Clock()).close();
    const database = new Database(path);
    database.run("PRAGMA user_version = 999");
    database.close();
    expect(() => openAt(path, new Clock())).toThrow("newer version");
  });
});

async function allOf(team: Team): Promise<unknown> {
  const { store } = team;
  return [
    await team.snapshot(),
    await team.events(),
    await store.instances(),
    await store.owed(),
    await store.counts(),
  ];
}

function integrityOf(path: string): unknown {
  const database = new Database(path);
  const row = database.query<{ integrity_check: string }, []>("PRAGMA integrity_check").get();
  database.close();
  return row?.integrity_check;
}
