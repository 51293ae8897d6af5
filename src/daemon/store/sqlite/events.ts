/** The event table: written in the same transaction as the change, read in order from any position. */
import type { Event, EventOf, EventType, StoredActivity } from "../../../protocol/event.ts";
import { pageBytes } from "../../../protocol/limits.ts";
import type { EventFilter } from "../data.ts";
import type { Connection } from "./connection.ts";
import { type EventRow, type MessageRow, toEvent, toMessage } from "./rows.ts";

type ActivityType = StoredActivity["type"];
type OtherType = Exclude<EventType, "text-delta" | ActivityType>;

/** An event before it is written. An activity has been validated completely, including its data. */
export type NewEvent = { [Type in OtherType]: NewEventOf<Type> }[OtherType] | NewEventOf<ActivityType>;

type NewEventOf<Type extends EventType> = {
  type: Type;
  agent?: string;
  turn?: string | null;
  message?: string;
  /** A `message` event takes its data from the message itself. */
  data: Type extends "message" ? Record<string, never> : EventOf<Type>["data"];
};

/** Writes one event inside the caller's transaction and returns its number. */
export function emit(connection: Connection, instance: string, run: number, event: NewEvent): number {
  const seq = connection.nextEvent();
  connection.run(
    "INSERT INTO events (seq, at, workflow, run, type, agent, turn, message, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    seq,
    connection.now(),
    instance,
    run,
    event.type,
    event.agent ?? null,
    event.turn ?? null,
    event.message ?? null,
    JSON.stringify(event.data),
  );
  return seq;
}

const columns = `e.seq, e.at, e.run, e.type, e.agent, e.turn, e.message, e.data, w.name, w.tag, w.project
  FROM events e JOIN workflows w ON w.id = e.workflow`;

export function readEvents(connection: Connection, { instance, after, limit }: EventFilter): Event[] {
  const rows = instance
    ? connection.all<EventRow>(
        `SELECT ${columns} WHERE e.workflow = ? AND e.seq > ? ORDER BY e.seq LIMIT ?`,
        instance,
        after,
        limit,
      )
    : connection.all<EventRow>(`SELECT ${columns} WHERE e.seq > ? ORDER BY e.seq LIMIT ?`, after, limit);
  return upToBytes(rows, (row) => complete(connection, row));
}

/** As many events as fit into a page, but at least one. */
function upToBytes(rows: EventRow[], read: (row: EventRow) => Event): Event[] {
  const events: Event[] = [];
  let size = 0;
  for (const row of rows) {
    const event = read(row);
    size += event.type === "message" ? event.data.content.length : row.data.length;
    if (size > pageBytes && events.length > 0) break;
    events.push(event);
  }
  return events;
}

/** All events of one message: its own, and those of the turns that handled it. */
export function readEventsOf(connection: Connection, message: string): Event[] {
  const rows = connection.all<EventRow>(
    `SELECT ${columns} WHERE e.seq IN (
       SELECT seq FROM events WHERE message = ?1
       UNION SELECT seq FROM events WHERE type IN ('turn-start', 'turn-end', 'turn-retry', 'tool-call', 'thread-lost') AND turn IN (
         SELECT turn FROM events WHERE message = ?1 AND type = 'delivery-claim')
     ) ORDER BY e.seq LIMIT 1000`,
    message,
  );
  return rows.map((row) => complete(connection, row));
}

export function lastEvent(connection: Connection): number {
  return connection.get<{ seq: number }>("SELECT COALESCE(MAX(seq), 0) AS seq FROM events")?.seq ?? 0;
}

/** A `message` event is stored without its message, which is stored once. */
function complete(connection: Connection, row: EventRow): Event {
  if (row.type !== "message") return toEvent(row);
  const message = connection.get<MessageRow>("SELECT * FROM messages WHERE id = ?", row.message);
  return toEvent({ ...row, data: JSON.stringify(message && toMessage(message)) });
}
