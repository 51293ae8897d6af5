/** One daemon per home: an exclusive transaction on a separate file, which the system releases when the process dies. */
import { Database, SQLiteError } from "bun:sqlite";
import { createPrivately } from "./private-file.ts";

/** Kept for the life of the process: if it were collected, or the file opened again, the lock would be lost. */
let homeLock: Database | undefined;

/** Takes the home's lock; false if another process has it. */
export function lockHome(path: string): boolean {
  if (homeLock) throw new Error("this process has already locked the home");
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
