import { afterAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "../../../protocol/error.ts";
import { Connection } from "./connection.ts";
import { storeError } from "./errors.ts";

const folder = mkdtempSync(join(tmpdir(), "agent-worker-connection-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const flushed = 2;
const unflushed = 1;

test("a commit is flushed to disk unless all its operations may be lost in a power failure", async () => {
  const connection = new Connection({ path: join(folder, "a.db"), now: Date.now, random: Math.random });
  const mode = () => connection.get<{ synchronous: number }>("PRAGMA synchronous")?.synchronous;
  const write = (lasting?: "on-disk" | "in-system") => connection.write(mode, lasting);
  expect(await write()).toBe(flushed);
  expect(await write("in-system")).toBe(unflushed);
  expect(await write()).toBe(flushed);
  expect(await Promise.all([write("in-system"), write("in-system")])).toEqual([unflushed, unflushed]);
  expect(await Promise.all([write("in-system"), write()])).toEqual([flushed, flushed]);
  await connection.close();
});

describe("while another program has locked the database", () => {
  /** A connection that notes what it writes, and another program's, which has the lock. */
  function openLocked(name: string, patienceMs: number) {
    const path = join(folder, name);
    const connection = new Connection({ path, now: Date.now, random: Math.random, patienceMs });
    const other = new Database(path);
    other.run("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)");
    other.run("BEGIN IMMEDIATE");
    const note = (text: string) =>
      connection.write(() => connection.run("INSERT INTO notes (text) VALUES (?)", text).changes);
    const notes = () => connection.all<{ text: string }>("SELECT text FROM notes ORDER BY id").map(({ text }) => text);
    return { connection, other, note, notes };
  }

  const later = () => new Promise((resolve) => setTimeout(resolve, 20));
  const codeOf = (promise: Promise<unknown>) =>
    promise.catch((error: unknown) => error instanceof AppError && error.code);

  test("writes wait in order, and nothing else waits", async () => {
    const { connection, other, note, notes } = openLocked("order.db", 60_000);
    const words = Array.from({ length: 100 }, (_, index) => `note ${index}`);
    const first = words.slice(0, 70).map(note);
    const begun = performance.now();
    for (let turns = 0; turns < 5; turns++) await later();
    expect(performance.now() - begun).toBeLessThan(2_000);
    expect(await connection.read(notes)).toEqual([]);
    const others = words.slice(70).map(note);
    other.run("ROLLBACK");
    expect(await Promise.all([...first, ...others])).toEqual(words.map(() => 1));
    expect(await connection.read(notes)).toEqual(words);
    other.close();
    await connection.close();
  });

  test("writes fail after too long, then at once, until the lock is released", async () => {
    const patienceMs = 300;
    const { connection, other, note, notes } = openLocked("patience.db", patienceMs);
    const begun = performance.now();
    expect(await Promise.all([note("one"), note("two")].map(codeOf))).toEqual([
      "store-unavailable",
      "store-unavailable",
    ]);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(patienceMs);
    const again = performance.now();
    for (let count = 0; count < 5; count++) expect(await codeOf(note("three"))).toBe("store-unavailable");
    expect(performance.now() - again).toBeLessThan(4 * patienceMs);
    other.run("ROLLBACK");
    expect(await note("four")).toBe(1);
    expect(notes()).toEqual(["four"]);
    other.close();
    await connection.close();
  });

  test("closing waits for queued writes", async () => {
    const { connection, other, note } = openLocked("close.db", 60_000);
    const noted = note("last");
    const closed = connection.close();
    await later();
    other.run("ROLLBACK");
    await closed;
    expect(await noted).toBe(1);
    expect(other.query("SELECT text FROM notes").all()).toEqual([{ text: "last" }]);
    other.close();
  });
});

test("an operation that fails temporarily is retried with its group, each once", async () => {
  const connection = new Connection({ path: ":memory:", now: Date.now, random: Math.random });
  await connection.write(() => connection.run("CREATE TABLE notes (text TEXT)"));
  const failures = ["SQLITE_NOMEM", "SQLITE_CANTOPEN", "SQLITE_BUSY_RECOVERY"];
  const note = (text: string, failing: string[] = []) =>
    connection.write(() => {
      connection.run("INSERT INTO notes VALUES (?)", text);
      const code = failing.shift();
      if (code) throw storeError(code);
      return text;
    });
  expect(await Promise.all([note("one"), note("two", failures), note("three")])).toEqual(["one", "two", "three"]);
  expect(connection.all("SELECT text FROM notes")).toEqual([{ text: "one" }, { text: "two" }, { text: "three" }]);
  let isFailing = true;
  const read = connection.read(() => {
    if (!isFailing) return "read";
    isFailing = false;
    throw storeError("SQLITE_NOMEM");
  });
  expect(await read).toBe("read");
  await connection.close();
});

test("a full disk fails the whole group at once, and another error only its own operation", async () => {
  const connection = new Connection({ path: ":memory:", now: Date.now, random: Math.random });
  const fail = (error: unknown) =>
    connection.write(() => {
      throw error;
    });
  const codes = (...operations: Promise<unknown>[]) =>
    Promise.all(
      operations.map((operation) => operation.catch((error: unknown) => error instanceof AppError && error.code)),
    );
  const ok = () => connection.write(() => "ok");
  expect(await codes(ok(), fail(storeError("SQLITE_FULL")), ok())).toEqual(["store-full", "store-full", "store-full"]);
  expect(await codes(ok(), fail(new AppError("fenced", "too late")), ok())).toEqual(["ok", "fenced", "ok"]);
  await connection.close();
});

test.each([
  ["SQLITE_FULL", "store-full"],
  ["SQLITE_IOERR_WRITE", "store-full"],
  ["SQLITE_BUSY", "store-unavailable"],
  ["SQLITE_BUSY_SNAPSHOT", "store-unavailable"],
  ["SQLITE_CANTOPEN", "store-unavailable"],
  ["SQLITE_NOMEM", "store-unavailable"],
  ["SQLITE_READONLY_DBMOVED", "store-unavailable"],
] as const)("%s is reported as %s", (code, meaning) => {
  expect(storeError(code)?.code).toBe(meaning);
});

test.each(["SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CORRUPT", "SQLITE_ERROR", "SQLITE_LOCKED"])(
  "%s is a bug, not an unavailable store",
  (code) => {
    expect(storeError(code)).toBeNull();
  },
);
