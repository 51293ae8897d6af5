/** Schedules: stored with their next slot, which is advanced in the transaction that sends the message. */
import { AppError } from "../../../protocol/error.ts";
import { Schedule } from "../../../protocol/schedule.ts";
import type { Appended, Firing, NewSchedule, StoredSchedule } from "../data.ts";
import { findAgentName } from "./instances/agents.ts";
import type { Connection } from "./connection.ts";
import { emit } from "./events.ts";
import { append } from "./channel/messages.ts";
import { workflowRow } from "./instances/workflows.ts";

type ScheduleRow = {
  workflow: string;
  agent: string;
  schedule: string;
  prompt: string | null;
  next_at: number | null;
  counted_at: number;
  last_at: number | null;
  active: number;
  waiting: number;
};

/** `waiting`: the last message is not done. A dead one no longer counts. */
const rows = `SELECT s.workflow, a.name AS agent, s.schedule, s.prompt, s.next_at, s.counted_at, s.last_at,
    w.state = 'running' AND w.mode = 'start' AND w.phase = 'working' AND a.stopped = 0 AS active,
    EXISTS (SELECT 1 FROM deliveries d WHERE d.message = s.last_message AND d.agent = s.agent
      AND d.state IN ('pending', 'claimed', 'parked')) AS waiting
  FROM schedules s JOIN workflows w ON w.id = s.workflow JOIN agents a ON a.workflow = s.workflow AND a.name = s.agent`;

export function readSchedules(connection: Connection, instance: string): StoredSchedule[] {
  return connection
    .all<ScheduleRow>(`${rows} WHERE s.workflow = ? ORDER BY a.position, a.name`, instance)
    .map(toSchedule);
}

/** Schedules that fire when their slot comes, the next first. */
export function readActive(connection: Connection, limit: number): StoredSchedule[] {
  return connection
    .all<ScheduleRow>(`${rows} WHERE s.next_at IS NOT NULL AND active ORDER BY s.next_at LIMIT ?`, limit)
    .map(toSchedule);
}

export function setSchedule(connection: Connection, instance: string, schedule: NewSchedule): StoredSchedule {
  const name = findAgentName(connection, instance, schedule.agent);
  if (name !== null) writeSchedule(connection, instance, schedule);
  const set = readSchedules(connection, instance).find(({ agent }) => agent === name);
  if (!set) throw new AppError("not-found", `there is no agent ${schedule.agent} any more`);
  return set;
}

/** Replaces a schedule; messages sent by the old one no longer count as waiting. */
export function writeSchedule(connection: Connection, instance: string, schedule: NewSchedule): void {
  connection.run(
    `INSERT OR REPLACE INTO schedules (workflow, agent, schedule, prompt, next_at, counted_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    instance,
    schedule.agent,
    JSON.stringify(schedule.schedule),
    schedule.prompt,
    schedule.nextAt,
    connection.now(),
  );
}

/** Removes the schedule of one agent, or all of an instance, and returns them. */
export function clearSchedules(connection: Connection, instance: string, agent: string | null): StoredSchedule[] {
  const cleared = readSchedules(connection, instance).filter(
    (schedule) => agent === null || schedule.agent.toLowerCase() === agent.toLowerCase(),
  );
  connection.run("DELETE FROM schedules WHERE workflow = ?1 AND (?2 IS NULL OR agent = ?2)", instance, agent);
  return cleared;
}

export function fire(connection: Connection, { instance, agent, slot, nextAt, draft }: Firing): Appended | null {
  const row = connection.get<ScheduleRow>(
    `${rows} WHERE s.workflow = ? AND s.agent = ? AND s.next_at = ?`,
    instance,
    agent,
    slot,
  );
  if (!row?.active) return null;
  const appended = draft && !row.waiting ? append(connection, instance, draft) : null;
  connection.run(
    `UPDATE schedules SET next_at = ?, counted_at = ?, last_at = ?, last_message = COALESCE(?, last_message)
     WHERE workflow = ? AND agent = ?`,
    nextAt,
    connection.now(),
    draft ? slot : row.last_at,
    appended?.message.id ?? null,
    instance,
    agent,
  );
  if (appended) {
    const { run } = workflowRow(connection, instance);
    const message = appended.message.id;
    emit(connection, instance, run, { type: "schedule-fire", agent: row.agent, message, data: { slot, nextAt } });
  }
  return appended;
}

function toSchedule(row: ScheduleRow): StoredSchedule {
  return {
    instance: row.workflow,
    agent: row.agent,
    schedule: Schedule.parse(JSON.parse(row.schedule)),
    prompt: row.prompt,
    nextAt: row.next_at,
    countedAt: row.counted_at,
    lastAt: row.last_at,
    active: row.active === 1,
  };
}
