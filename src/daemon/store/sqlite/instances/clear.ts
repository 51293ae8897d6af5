/** Clears an instance: afterwards it is like one that was started for the first time and has just ended. */
import type { SQLQueryBindings } from "bun:sqlite";
import { AppError } from "../../../../protocol/error.ts";
import { formatTarget, globalWorkflow } from "../../../../protocol/target.ts";
import type { Connection } from "../connection.ts";
import { isQuiescent } from "./quiescent.ts";
import { removeInstance, workflowRow } from "./workflows.ts";

type Row = Record<string, SQLQueryBindings>;

/** History in the row itself: position of its channel, result, and elected agents. */
const forgotten = {
  next_seq: 1,
  run_first_seq: 1,
  kickoff_seq: null,
  result: null,
  document_owner: null,
  coordinator: null,
};
/** Tables that are kept. Everything else of an instance is deleted with its row, whatever tables exist. */
const kept = ["agents", "schedules"];

/** Returns the number of messages there were; throws while something is running. */
export function clearInstance(connection: Connection, id: string): { messages: number } {
  const { name, tag, state, next_seq: next } = workflowRow(connection, id);
  const target = formatTarget({ workflow: name, tag });
  // Standalone agents always run: for them, their work must be done.
  const isBusy = name === globalWorkflow ? !isQuiescent(connection, id) : state === "running";
  if (isBusy) {
    const isGlobal = name === globalWorkflow;
    throw new AppError(
      "already-running",
      `${target} is working`,
      isGlobal ? { hint: "wait until its agents are done" } : { actions: [{ do: "stop", target }] },
    );
  }
  const [row] = connection.all<Row>("SELECT * FROM workflows WHERE id = ?", id);
  const others = kept.map((table) => connection.all<Row>(`SELECT * FROM ${table} WHERE workflow = ?`, id));
  removeInstance(connection, id);
  insert(connection, "workflows", { ...row, ...forgotten });
  for (const [index, rows] of others.entries()) {
    for (const other of rows) insert(connection, kept[index] ?? "", { ...other, ...unsaid(kept[index]) });
  }
  return { messages: next - 1 };
}

/** Resets the history in a row. */
function unsaid(table: string | undefined): Row {
  return table === "agents" ? { status: null, turn: null, next_entry: 0 } : { last_message: null };
}

/** Writes every column as it was read, including columns that a later version adds. */
function insert(connection: Connection, table: string, row: Row): void {
  const columns = Object.keys(row);
  const places = columns.map(() => "?").join(", ");
  connection.run(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`, ...Object.values(row));
}
