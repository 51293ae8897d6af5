/** Compares a database's schema with the one that our migrations create: SQL of others would run inside the daemon. */
import { Database } from "bun:sqlite";
import { AppError } from "../../../protocol/error.ts";
import { migrations } from "./migrations.ts";
import { readAll } from "./read-all.ts";

/** Objects with their SQL; an index that SQLite creates by itself has none. */
type SchemaObject = { type: string; name: string; tbl_name: string; sql: string | null };
/** By type and name: a trigger can have the name of a table. */
type Schema = Map<string, SchemaObject>;

const maxNameChars = 80;
/** By number of migrations; a daemon opens many databases, nearly all of the newest version. */
const schemas = new Map<number, Schema>();

/** Throws `conflict` with the first difference. Reading a schema runs nothing of it. */
export function checkSchema(database: Database, version: number): void {
  const missing = new Map(expectedSchema(version));
  for (const object of readSchema(database)) {
    const own = missing.get(keyOf(object));
    // Found twice, it is not in the map any more.
    if (!own) throw different(object, "was not created by agent-worker");
    if (own.tbl_name !== object.tbl_name || own.sql !== object.sql) throw different(object, "was changed");
    missing.delete(keyOf(object));
  }
  for (const object of missing.values()) throw different(object, "is missing");
}

function different({ type, name }: SchemaObject, how: string): AppError {
  return new AppError("conflict", `the ${type} '${name.slice(0, maxNameChars)}' in it ${how}`);
}

function expectedSchema(version: number): Schema {
  const known = schemas.get(version);
  if (known || version === 0) return known ?? new Map();
  const database = new Database(":memory:");
  try {
    for (const migration of migrations.slice(0, version)) database.run(migration);
    const schema = new Map(readSchema(database).map((object) => [keyOf(object), object]));
    schemas.set(version, schema);
    return schema;
  } finally {
    database.close();
  }
}

function readSchema(database: Database): SchemaObject[] {
  return readAll<SchemaObject>(database, "SELECT type, name, tbl_name, sql FROM sqlite_schema");
}

function keyOf({ type, name }: SchemaObject): string {
  return `${type} ${name}`;
}
