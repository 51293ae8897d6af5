/** Deliveries of a failed attempt: retried, split into single turns, dead, or parked. */
import type { Delivery } from "../../../../protocol/delivery.ts";
import type { Claim, Finish } from "../../data.ts";
import type { Connection } from "../connection.ts";
import { emit } from "../events.ts";
import { systemDraft, write } from "../channel/messages.ts";
import type { TurnRow } from "../rows.ts";
import { workflowRow } from "../instances/workflows.ts";

export type Attempted = Pick<Claim, "instance" | "run" | "agent" | "turn">;

export type Failing = {
  /** Delays before attempt 2, 3, …: one per retry. */
  delaysMs: number[];
  reason: string;
  permanent: boolean;
};

/** Counts the attempt for all its deliveries. Returns the time of the next one, if any. */
export function fail(
  connection: Connection,
  attempted: Attempted,
  turn: TurnRow,
  claimed: Delivery[],
  failing: Failing,
): number | null {
  const [only, ...others] = claimed;
  if (!only) return null;
  return others.length === 0
    ? failOne(connection, attempted, only, failing)
    : splitBatch(connection, attempted, turn, claimed, failing);
}

function failOne(
  connection: Connection,
  attempted: Attempted,
  { message, attempts: before }: Delivery,
  { delaysMs, reason, permanent }: Failing,
): number | null {
  const attempts = before + 1;
  const delay = delaysMs[attempts - 1];
  if (permanent || delay === undefined) {
    setTurnState(connection, attempted.turn, "failed", reason);
    declareDead(connection, attempted, message, attempts, reason);
    return null;
  }
  setTurnState(connection, attempted.turn, "waiting", reason);
  return putOff(connection, attempted, message.id, { attempts, most: delaysMs.length + 1, delay, reason });
}

/** One turn per open delivery, so that a poison message does not fail the others, even if the failure is permanent. */
function splitBatch(
  connection: Connection,
  attempted: Attempted,
  turn: TurnRow,
  claimed: Delivery[],
  { delaysMs, reason, permanent }: Failing,
): number | null {
  setTurnState(connection, attempted.turn, "split", reason);
  const due: number[] = [];
  for (const { message, attempts: before } of claimed) {
    const attempts = before + 1;
    const delay = permanent ? 0 : delaysMs[attempts - 1];
    if (delay === undefined) {
      declareDead(connection, attempted, message, attempts, reason);
      continue;
    }
    const part = { ...attempted, turn: insertPart(connection, turn, reason) };
    const most = Math.max(delaysMs.length, attempts) + 1;
    due.push(putOff(connection, part, message.id, { attempts, most, delay, reason }));
  }
  return due.length === 0 ? null : Math.min(...due);
}

/** A turn for one delivery of a batch; it uses the same script entry and knows what the batch has sent. */
export function insertPart(connection: Connection, turn: TurnRow, reason: string): string {
  const id = connection.newId("t");
  connection.run(
    `INSERT INTO turns (id, workflow, agent, run, state, attempt, entry, parent, hop, open, reason, started_at, attempt_started_at)
     VALUES (?, ?, ?, ?, 'waiting', ?, ?, ?, ?, 0, ?, ?, ?)`,
    id,
    turn.workflow,
    turn.agent,
    turn.run,
    turn.attempt,
    turn.entry,
    turn.id,
    turn.hop,
    reason,
    connection.now(),
    connection.now(),
  );
  return id;
}

/** `claimed` becomes `pending`, to be retried by the turn after the delay. */
function putOff(
  connection: Connection,
  attempted: Attempted,
  message: string,
  { attempts, most, delay, reason }: { attempts: number; most: number; delay: number; reason: string },
): number {
  const now = connection.now();
  const at = now + delay;
  connection.run(
    `UPDATE deliveries SET state = 'pending', turn = ?, attempts = ?, not_before = ?, acked = 0, reason = ?, updated_at = ?
     WHERE message = ? AND agent = ?`,
    attempted.turn,
    attempts,
    at,
    reason,
    now,
    message,
    attempted.agent,
  );
  emit(connection, attempted.instance, attempted.run, {
    type: "turn-retry",
    agent: attempted.agent,
    turn: attempted.turn,
    message,
    data: { attempt: attempts + 1, attempts: most, reason, at },
  });
  return at;
}

/** A dead letter is visible: an event, and a system message in the channel. */
function declareDead(
  connection: Connection,
  attempted: Attempted,
  message: { id: string; seq: number },
  attempts: number,
  reason: string,
): void {
  connection.run(
    `UPDATE deliveries SET state = 'dead', attempts = ?, acked = 0, not_before = 0, reason = ?, updated_at = ?
     WHERE message = ? AND agent = ?`,
    attempts,
    reason,
    connection.now(),
    message.id,
    attempted.agent,
  );
  emit(connection, attempted.instance, attempted.run, {
    type: "delivery-dead",
    agent: attempted.agent,
    turn: attempted.turn,
    message: message.id,
    data: { attempts, reason },
  });
  const tries = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  const content = `${attempted.agent} could not handle message #${message.seq} (${tries}): ${reason}`;
  write(connection, workflowRow(connection, attempted.instance), systemDraft(content), [], []);
}

export function park(
  connection: Connection,
  attempted: Omit<Attempted, "turn">,
  message: string,
  { kind, reason, until }: NonNullable<Finish["park"]>,
): void {
  connection.run(
    `UPDATE deliveries SET state = ?, acked = 0, not_before = ?, reason = ?, park_kind = ?, updated_at = ?
     WHERE message = ? AND agent = ?`,
    until === undefined ? "parked" : "pending",
    until ?? 0,
    reason,
    kind,
    connection.now(),
    message,
    attempted.agent,
  );
  emit(connection, attempted.instance, attempted.run, {
    type: "work-parked",
    agent: attempted.agent,
    message,
    data: { kind, reason, ...(until !== undefined && { until }) },
  });
}

export function setTurnState(connection: Connection, turn: string, state: TurnRow["state"], reason: string): void {
  connection.run("UPDATE turns SET state = ?, token_hash = NULL, reason = ? WHERE id = ?", state, reason, turn);
}
