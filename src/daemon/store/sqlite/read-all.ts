/** Reads rows while a database is being opened. */
import type { Database } from "bun:sqlite";

/** An open statement would keep the file locked after `close`. */
export function readAll<Row>(database: Database, sql: string): Row[] {
  const statement = database.prepare<Row, []>(sql);
  try {
    return statement.all();
  } finally {
    statement.finalize();
  }
}
