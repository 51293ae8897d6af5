/** Turns SQLite errors into errors of the store, and explains why a database cannot be opened. */
import { SQLiteError } from "bun:sqlite";
import { AppError } from "../../../protocol/error.ts";

/**
 * Temporary problems of the system; the same operation can succeed later. `SQLITE_LOCKED` is not one: it is a conflict
 * within our own connection, and so a bug.
 */
const unavailable: Record<string, string> = {
  SQLITE_BUSY: "another program has locked the database",
  SQLITE_PROTOCOL: "other programs keep the database busy",
  SQLITE_CANTOPEN: "the files of the database cannot be opened",
  SQLITE_NOMEM: "there is not enough memory for the database",
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

/** Null for other errors: a bug or a damaged file. SQLite reports a full disk in several ways. */
export function storeError(code: string, cause?: unknown): AppError | null {
  if (code === "SQLITE_FULL") return new AppError("store-full", "the disk is full: nothing was stored", { cause });
  if (code.startsWith("SQLITE_IOERR")) {
    return new AppError("store-full", `the disk cannot be used (${code}): nothing was stored`, { cause });
  }
  const problem = lookUp(unavailable, code);
  if (problem === undefined) return null;
  return new AppError("store-unavailable", `${problem} (${code}): nothing was stored`, { cause });
}

/** Converts an error of SQLite to an error of the store if there is one; returns other errors unchanged. */
export function describe(error: unknown): unknown {
  if (!(error instanceof SQLiteError)) return error;
  return storeError(error.code ?? "", error) ?? error;
}

/** Explains why a database cannot be opened: one that a workflow specifies, or the home's. */
export function explain(error: unknown, path: string, isNamed: boolean): unknown {
  const hint = isNamed
    ? "set context.config.db to another file, or move this one elsewhere"
    : "move it elsewhere to start over, or choose another home with AGENT_WORKER_HOME";
  if (error instanceof AppError && !isNamed && error.code !== "conflict") return error;
  if (error instanceof AppError) {
    return new AppError("conflict", `${path} cannot be used: ${error.message}`, { hint, cause: error });
  }
  if (!(error instanceof SQLiteError)) {
    return new AppError("conflict", `the database ${path} cannot be opened: ${String(error)}`, { hint, cause: error });
  }
  if (!isNamed && error.code?.startsWith("SQLITE_BUSY")) {
    return new AppError("store-unavailable", `another program has locked the database ${path}`, {
      hint: "try again when that program is done",
      cause: error,
    });
  }
  const reason = lookUp(unusable, error.code ?? "");
  if (reason === undefined) return describe(error);
  return new AppError("conflict", `the database ${path} ${reason}`, { hint, cause: error });
}

/** Extended codes start with the basic code: `SQLITE_BUSY_RECOVERY`. */
function lookUp(meanings: Record<string, string>, code: string): string | undefined {
  return Object.entries(meanings).find(([known]) => code.startsWith(known))?.[1];
}
