/** Opens one SQLite database safely: private, exclusive if requested, with a safe SQLite version, our schema, and migrated. */
import { Database } from "bun:sqlite";
import { AppError } from "../../../protocol/error.ts";
import { checkSchema } from "./check-schema.ts";
import { explain } from "./errors.ts";
import { migrations } from "./migrations.ts";
import { createPrivately } from "./private-file.ts";
import { readAll } from "./read-all.ts";

/** Before this version, a reset of the write-ahead log could corrupt the database. */
const minVersion = [3, 51, 3];
/** Opening can wait for a locked database, since nothing else runs yet. */
const openingTimeoutMs = 5_000;

/** Once open, the database never waits inside SQLite: a lock of another program is an error at once. */
export function openDatabase(path: string, exclusive: boolean): Database {
  const database = openFile(path, exclusive);
  try {
    if (exclusive) takeAlone(database);
    prepare(database);
    database.run("PRAGMA busy_timeout = 0");
    return database;
  } catch (error) {
    database.close();
    throw explain(error, path, exclusive);
  }
}

function openFile(path: string, exclusive: boolean): Database {
  try {
    if (path !== ":memory:") createPrivately(path);
    return new Database(path, { create: true, strict: true });
  } catch (error) {
    throw explain(error, path, exclusive);
  }
}

/** Checked before any change: the file can belong to another program. */
function takeAlone(database: Database): void {
  database.run("PRAGMA busy_timeout = 0");
  database.run("PRAGMA locking_mode = EXCLUSIVE");
  const tables = readAll<{ name: string }>(database, "SELECT name FROM sqlite_schema WHERE type = 'table'");
  if (tables.length === 0 || tables.some(({ name }) => name === "deliveries")) return;
  throw new AppError("conflict", "it contains other tables");
}

function prepare(database: Database): void {
  const version = readAll<{ version: string }>(database, "SELECT sqlite_version() AS version")[0]?.version ?? "0";
  if (isOlder(version.split(".").map(Number), minVersion)) {
    throw new AppError("internal", `SQLite ${version} is too old: ${minVersion.join(".")} or later is needed`, {
      hint: "install the Bun version that package.json names",
    });
  }
  setPragmas(database, [`busy_timeout = ${openingTimeoutMs}`, "trusted_schema = OFF"]);
  const applied = Math.max(readAll<{ user_version: number }>(database, "PRAGMA user_version")[0]?.user_version ?? 0, 0);
  if (applied > migrations.length) {
    throw new AppError("internal", "the database was written by a newer version of agent-worker", {
      hint: "update agent-worker, or move the home with AGENT_WORKER_HOME",
    });
  }
  // Before any change, so that a migration does not fire a trigger either.
  checkSchema(database, applied);
  setPragmas(database, ["journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"]);
  for (const [index, migration] of migrations.entries()) {
    if (index < applied) continue;
    database.transaction(() => {
      database.run(migration);
      database.run(`PRAGMA user_version = ${index + 1}`);
    })();
  }
}

function setPragmas(database: Database, pragmas: string[]): void {
  for (const pragma of pragmas) database.run(`PRAGMA ${pragma}`);
}

function isOlder(version: number[], than: number[]): boolean {
  for (const [index, part] of than.entries()) {
    if (version[index] !== part) return (version[index] ?? 0) < part;
  }
  return false;
}
