/** Clearing an instance: it is as if it had been started for the first time, and had just ended. */
import type { SQLQueryBindings } from "bun:sqlite";
import { AppError } from "../../../../protocol/error.ts";
import { formatTarget, globalWorkflow } from "../../../../protocol/target.ts";
import type { Connection } from "../connection.ts";
import { isQuiescent, removeWorkflow, workflowRow } from "./workflows.ts";

type Row = Record<string, SQLQueryBindings>;

/** What the row itself remembers: where its channel is, what it came to, and whom votes have chosen. */
const forgotten = {
  next_seq: 1,
  run_first_seq: 1,
  kickoff_seq: null,
  result: null,
  document_owner: null,
  coordinator: null,
};
/** What says who there is. All else of an instance goes with its row, whatever tables there are. */
const kept = ["agents", "schedules"];

/** Gives how many messages there were; throws while something runs. */
export function clearWorkflow(connection: Connection, id: string): { messages: number } {
  const { name, tag, state, next_seq: next } = workflowRow(connection, id);
  const target = formatTarget({ workflow: name, tag });
  // Standalone agents always run: there it is their work that has to be over.
  const isBusy = name === globalWorkflow ? !isQuiescent(connection, id) : state === "running";
  if (isBusy) {
    const isGlobal = name === globalWorkflow;
    throw new AppError(
      "already-running",
      `${target} is at work`,
      isGlobal ? { hint: "wait for its agents to be done" } : { actions: [{ do: "stop", target }] },
    );
  }
  const [row] = connection.all<Row>("SELECT * FROM workflows WHERE id = ?", id);
  const others = kept.map((table) => connection.all<Row>(`SELECT * FROM ${table} WHERE workflow = ?`, id));
  removeWorkflow(connection, id);
  insert(connection, "workflows", { ...row, ...forgotten });
  for (const [index, rows] of others.entries()) {
    for (const other of rows) insert(connection, kept[index] ?? "", { ...other, ...unsaid(kept[index]) });
  }
  return { messages: next - 1 };
}

/** What a row remembers of the history. */
function unsaid(table: string | undefined): Row {
  return table === "agents" ? { status: null, turn: null, next_entry: 0 } : { last_message: null };
}

/** Every column as it was read: those that a later version adds are kept as well. */
function insert(connection: Connection, table: string, row: Row): void {
  const columns = Object.keys(row);
  const places = columns.map(() => "?").join(", ");
  connection.run(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`, ...Object.values(row));
}
