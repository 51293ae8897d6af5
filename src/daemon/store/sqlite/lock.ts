/** One daemon per home: an exclusive transaction on a file of its own, which the system frees when the process dies. */
import { Database, SQLiteError } from "bun:sqlite";
import { createPrivately } from "./private-file.ts";

/** Kept here for the life of the process: were it collected, or the file opened a second time, the lock would be gone. */
let homeLock: Database | undefined;

/** Takes the home's lock; false when another process has it. */
export function lockHome(path: string): boolean {
  if (homeLock) throw new Error("this process holds the home already");
  createPrivately(path);
  const database = new Database(path, { create: true });
  try {
    database.run("PRAGMA busy_timeout = 0");
    database.run("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (error instanceof SQLiteError && error.code === "SQLITE_BUSY") return false;
    throw error;
  }
  homeLock = database;
  return true;
}
