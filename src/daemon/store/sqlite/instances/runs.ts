/** Runs of an instance: opens, kicks off, closes when quiescent, ends and reopens them. */
import { Limits } from "../../../../protocol/definition/definition.ts";
import type { Delivery, ParkReason } from "../../../../protocol/delivery.ts";
import { AppError } from "../../../../protocol/error.ts";
import type { RunMode, RunResult, WorkflowState } from "../../../../protocol/instance.ts";
import { formatTarget } from "../../../../protocol/target.ts";
import { electsOwner } from "../../../../workflow/election.ts";
import type { Appended, DeliveryFilter, Draft, Freed, Instance, OpenRun } from "../../data.ts";
import { agentNames, replaceAgents } from "./agents.ts";
import type { Connection } from "../connection.ts";
import { findWaiting, free as freeAll, parkOpen } from "./control.ts";
import { emit, lastEvent } from "../events.ts";
import { append } from "../channel/messages.ts";
import { type WorkflowRow, toInstance } from "../rows.ts";
import { cancelProposals } from "../proposals/proposals.ts";
import { clearSchedules, writeSchedule } from "../schedules.ts";
import { isQuiescent } from "./quiescent.ts";
import { type Ending, countOpen, summarize, verdict, weigh } from "./run-result.ts";
import { removeInstance, workflowRow } from "./workflows.ts";

export function openRun(
  connection: Connection,
  request: OpenRun,
): { instance: Instance; leftover: number; cursor: number } {
  const { agents, ...definition } = request.definition;
  const { name } = definition;
  const limits = Limits.parse(request.definition.limits);
  const existing = findRow(connection, request.project, name, request.tag);
  if (existing?.state === "running") {
    const target = formatTarget({ workflow: name, tag: request.tag });
    throw new AppError("already-running", `${target} is already running`, {
      actions: [{ do: "attach", target }, { do: "choose-tag" }],
    });
  }
  if (existing && request.fresh) removeInstance(connection, existing.id);
  const id = request.registered?.id ?? (existing && !request.fresh ? existing.id : connection.newId("w"));
  connection.run(
    `INSERT INTO workflows (id, name, tag, project, dir, definition, mode, state, phase, run, concurrency, started_at, params, tasks_open, attended)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'running', 'setup', ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET project = excluded.project, dir = excluded.dir, definition = excluded.definition, mode = excluded.mode, params = excluded.params,
       state = 'running', phase = 'setup', tasks_open = excluded.tasks_open, kickoff_seq = NULL, document_owner = NULL, coordinator = NULL, run = excluded.run, run_first_seq = next_seq, concurrency = excluded.concurrency,
       started_at = excluded.started_at, attended = excluded.attended, ended_at = NULL, result = NULL`,
    id,
    name,
    request.tag,
    request.project,
    request.dir,
    JSON.stringify(definition),
    request.mode,
    request.registered?.run ?? (existing && !request.fresh ? existing.run + 1 : 1),
    limits.concurrency,
    connection.now(),
    JSON.stringify(request.params ?? {}),
    request.definition.tasks?.length || electsOwner(request.definition) ? 1 : 0,
    (request.attended ?? request.mode === "start") ? 1 : 0,
  );
  replaceAgents(connection, id, agents);
  clearSchedules(connection, id, null);
  for (const schedule of request.schedules ?? []) writeSchedule(connection, id, schedule);
  // Undelivered messages of earlier runs are never executed silently: only `resume` makes them pending.
  connection.run(
    "UPDATE deliveries SET park_kind = 'earlier-run' WHERE workflow = ? AND state = 'parked' AND state <> 'done'",
    id,
  );
  const row = workflowRow(connection, id);
  const cursor = emitStart(connection, row);
  return { instance: toInstance(row), leftover: countOpen(connection, id, "parked", null), cursor: cursor - 1 };
}

/** From now on agents can work, since tasks send them messages. */
export function beginTasks(connection: Connection, instance: string): boolean {
  const { phase, state } = workflowRow(connection, instance);
  if (phase !== "setup" || state !== "running") return false;
  connection.run("UPDATE workflows SET phase = 'working' WHERE id = ?", instance);
  return true;
}

/** The kickoff and the end of setup and tasks are one transaction: a crash repeats neither and skips neither. */
export function kickoff(connection: Connection, instance: string, draft: Draft | null): Appended | null {
  const { phase, tasks_open: tasksOpen, state } = workflowRow(connection, instance);
  if ((phase !== "setup" && !tasksOpen) || state !== "running") return null;
  connection.run("UPDATE workflows SET phase = 'working', tasks_open = 0 WHERE id = ?", instance);
  if (!draft) return null;
  const appended = append(connection, instance, draft);
  connection.run("UPDATE workflows SET kickoff_seq = ? WHERE id = ?", appended.cursor, instance);
  return appended;
}

export function closeRun(connection: Connection, instance: string): RunResult | null {
  const row = workflowRow(connection, instance);
  if (row.state !== "running" || row.mode !== "run" || !isQuiescent(connection, instance)) return null;
  return conclude(connection, row, "ended", verdict(connection, row));
}

export function endRun(connection: Connection, instance: string, end: Ending): RunResult | null {
  const row = workflowRow(connection, instance);
  if (row.state !== "running" && row.state !== "interrupted") return null;
  const state = end.status === "interrupted" ? "interrupted" : end.status === "stopped" ? "stopped" : "ended";
  const reason = end.reason ?? "the workflow was stopped";
  parkOpen(connection, row, null, { kind: "stopped", reason });
  cancelProposals(connection, row, reason);
  return conclude(connection, row, state, weigh(connection, row, end));
}

/** Reopens an instance with the work that its stop parked; what earlier runs left stays parked. */
export function reopen(
  connection: Connection,
  instance: string,
  mode: RunMode,
  free: ParkReason[],
): { instance: Instance; wake: string[]; cursor: number } {
  const waiting = findWaiting(connection, instance, "parked", { kinds: free });
  const { row, cursor } = makeRunning(connection, instance, mode);
  return { instance: toInstance(row), wake: freeAll(connection, row, waiting, "start").wake, cursor };
}

/** Retries dead letters in the same turns; their attempts count from zero again. */
export function redrive(connection: Connection, instance: string, filter: DeliveryFilter): Freed {
  const waiting = findWaiting(connection, instance, "dead", filter);
  // If a dead letter ended the tasks, the work parked by that end is resumed as well.
  const parked = waiting.length > 0 && isUnfinished(workflowRow(connection, instance));
  if (parked) waiting.push(...findWaiting(connection, instance, "parked", { kinds: ["stopped"] }));
  return resumeWaiting(connection, instance, waiting, "redrive");
}

export function resume(connection: Connection, instance: string, filter: DeliveryFilter): Freed {
  return resumeWaiting(connection, instance, findWaiting(connection, instance, "parked", filter), "resume");
}

/** Makes work pending, and reopens the instance if needed; without work nothing is started. */
function resumeWaiting(connection: Connection, instance: string, waiting: Delivery[], by: "redrive" | "resume"): Freed {
  const before = workflowRow(connection, instance);
  const wasCutOff = before.state === "interrupted" || isUnfinished(before);
  if (waiting.length === 0 && !(wasCutOff && by === "resume")) {
    return { changed: [], wake: [], instance: toInstance(before), cursor: lastEvent(connection) };
  }
  const { row, cursor } = makeRunning(connection, instance);
  return { ...freeAll(connection, row, waiting, by), instance: toInstance(row), cursor };
}

/** Ended by a failed task, or stopped during its tasks: it resumes with that task. */
function isUnfinished({ state, phase, tasks_open: tasksOpen }: WorkflowRow): boolean {
  return state !== "running" && phase === "working" && tasksOpen === 1;
}

/** Opens a new run without setup, tasks and kickoff, unless the last one was interrupted during them. */
function makeRunning(connection: Connection, instance: string, mode?: RunMode): { row: WorkflowRow; cursor: number } {
  const before = workflowRow(connection, instance);
  if (before.state === "running") return { row: before, cursor: lastEvent(connection) };
  const wasCutOff = before.state === "interrupted" || isUnfinished(before);
  connection.run(
    `UPDATE workflows SET state = 'running', mode = ?, attended = ?, run = ?, run_first_seq = ?, started_at = ?, ended_at = NULL, result = NULL
     WHERE id = ?`,
    mode ?? before.mode,
    mode === "start" ? 1 : before.attended,
    wasCutOff ? before.run : before.run + 1,
    wasCutOff ? before.run_first_seq : before.next_seq,
    connection.now(),
    instance,
  );
  const row = workflowRow(connection, instance);
  if (row.phase === "working") inheritSteps(connection, instance, before.run, row.run);
  return { row, cursor: emitStart(connection, row) - 1 };
}

/** A run that starts after setup and tasks keeps the outputs they captured. */
function inheritSteps(connection: Connection, instance: string, from: number, to: number): void {
  connection.run(
    `INSERT OR IGNORE INTO task_steps (workflow, run, step, position, title, captured_as, state, output, started_at, skipped, inherited)
     SELECT workflow, ?3, step, position, title, captured_as, state, output, started_at, skipped, 1 FROM task_steps
     WHERE workflow = ?1 AND run = ?2`,
    instance,
    from,
    to,
  );
}

function conclude(connection: Connection, row: WorkflowRow, state: WorkflowState, end: Ending): RunResult {
  const result: RunResult = {
    ...end,
    ...summarize(connection, row),
    duration: Math.max(0, connection.now() - row.started_at),
    messages: workflowRow(connection, row.id).next_seq - row.run_first_seq,
    dead: countOpen(connection, row.id, "dead", row.run),
    parked: countOpen(connection, row.id, "parked", row.run),
  };
  connection.run(
    "UPDATE workflows SET state = ?, ended_at = ?, result = ? WHERE id = ?",
    state,
    connection.now(),
    JSON.stringify(result),
    row.id,
  );
  emit(connection, row.id, row.run, { type: "workflow-end", data: result });
  return result;
}

function emitStart(connection: Connection, row: WorkflowRow): number {
  const agents = agentNames(connection, row.id);
  return emit(connection, row.id, row.run, { type: "workflow-start", data: { mode: row.mode, agents } });
}

function findRow(connection: Connection, project: string, name: string, tag: string): WorkflowRow | null {
  return connection.get<WorkflowRow>(
    "SELECT * FROM workflows WHERE project = ? AND name = ? AND tag = ?",
    project,
    name,
    tag,
  );
}
