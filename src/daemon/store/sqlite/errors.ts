/** What SQLite's errors mean to users of the store, and to the person whose database cannot be opened. */
import { SQLiteError } from "bun:sqlite";
import { AppError } from "../../../protocol/error.ts";

/** Troubles of the system around a database; the same operation may succeed later. */
const unavailable: Record<string, string> = {
  SQLITE_BUSY: "another program has locked the database",
  SQLITE_LOCKED: "another program has locked the database",
  SQLITE_PROTOCOL: "other programs keep the database busy",
  SQLITE_CANTOPEN: "the files of the database cannot be opened",
  SQLITE_NOMEM: "there is no memory left for the database",
  SQLITE_READONLY: "the database cannot be written",
};

/** Why a database cannot be opened. */
const unusable: Record<string, string> = {
  SQLITE_BUSY: "is in use by another daemon or program",
  SQLITE_NOTADB: "is not a database",
  SQLITE_CORRUPT: "is damaged",
  SQLITE_READONLY: "cannot be written",
  SQLITE_CANTOPEN: "cannot be opened",
};

/** Null for an error that is not the system's: a defect, or a damaged file. SQLite reports a full disk in several ways. */
export function storeTrouble(code: string, cause?: unknown): AppError | null {
  if (code === "SQLITE_FULL") return new AppError("store-full", "the disk is full: nothing was stored", { cause });
  if (code.startsWith("SQLITE_IOERR")) {
    return new AppError("store-full", `the disk cannot be used (${code}): nothing was stored`, { cause });
  }
  const trouble = lookUp(unavailable, code);
  if (trouble === undefined) return null;
  return new AppError("store-unavailable", `${trouble} (${code}): nothing was stored`, { cause });
}

/** An error of SQLite in the words of the store, where it has some; any other as it is. */
export function describe(error: unknown): unknown {
  if (!(error instanceof SQLiteError)) return error;
  return storeTrouble(error.code ?? "", error) ?? error;
}

/** What is wrong with a database that cannot be opened: one that a workflow names, or the home's own. */
export function explain(error: unknown, path: string, isNamed: boolean): unknown {
  const hint = isNamed
    ? "name another file with context.config.db, or move this one away"
    : "move it away to begin anew, or choose another home with AGENT_WORKER_HOME";
  if (error instanceof AppError && !isNamed) return error;
  if (error instanceof AppError) {
    return new AppError("conflict", `${path} cannot be used: ${error.message}`, { hint, cause: error });
  }
  if (!(error instanceof SQLiteError)) {
    return new AppError("conflict", `the database ${path} cannot be opened: ${String(error)}`, { hint, cause: error });
  }
  const reason = lookUp(unusable, error.code ?? "");
  if (reason === undefined) return describe(error);
  return new AppError("conflict", `the database ${path} ${reason}`, { hint, cause: error });
}

/** Extended codes begin with the code that they extend: `SQLITE_BUSY_RECOVERY`. */
function lookUp(meanings: Record<string, string>, code: string): string | undefined {
  return Object.entries(meanings).find(([known]) => code.startsWith(known))?.[1];
}
