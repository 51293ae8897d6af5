/** Runs of an instance: opens, kicks off, closes when quiescent, ends and reopens them. */
import { Limits } from "../../../../protocol/definition/definition.ts";
import type { Delivery, ParkReason } from "../../../../protocol/delivery.ts";
import { AppError } from "../../../../protocol/error.ts";
import type { RunMode, RunResult, RunStatus, WorkflowState } from "../../../../protocol/instance.ts";
import { formatTarget } from "../../../../protocol/target.ts";
import { electsOwner } from "../../../../workflow/election.ts";
import type { Appended, DeliveryFilter, Draft, Freed, Instance, OpenRun } from "../../data.ts";
import { agentNames, replaceAgents } from "./agents.ts";
import { countUnheard } from "../approvals.ts";
import type { Connection } from "../connection.ts";
import { findWaiting, free as freeAll, parkOpen } from "./control.ts";
import { emit, lastEvent } from "../events.ts";
import { append } from "../channel/messages.ts";
import { type WorkflowRow, toInstance, toUsage } from "../rows.ts";
import { cancelProposals } from "../proposals/proposals.ts";
import { clearSchedules, writeSchedule } from "../schedules.ts";
import { isQuiescent, removeInstance, workflowRow } from "./workflows.ts";

type Ending = { status: RunStatus; exitCode: number; reason: string | null };

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

/** The remaining deliveries decide how a run ended; the most serious first. */
function verdict(connection: Connection, { id, run }: WorkflowRow): Ending {
  const keyless = connection.get<{ reason: string }>(
    "SELECT reason FROM deliveries WHERE workflow = ? AND state = 'parked' AND state <> 'done' AND park_kind = 'credentials' AND run = ? LIMIT 1",
    id,
    run,
  );
  const dead = countOpen(connection, id, "dead", run);
  const parked = countOpen(connection, id, "parked", run);
  if (keyless) return { status: "failed", exitCode: 4, reason: keyless.reason };
  const unheard = countUnheard(connection, id, run);
  if (unheard > 0) return blocked(unheard);
  if (dead > 0) return { status: "failed", exitCode: 1, reason: `${dead} dead ${dead === 1 ? "letter" : "letters"}` };
  if (parked > 0) return { status: "limited", exitCode: 6, reason: `${parked} parked` };
  return { status: "completed", exitCode: 0, reason: null };
}

/** Something was denied because no person answered: reported before anything it may have caused. */
function blocked(unheard: number): Ending {
  const what = unheard === 1 ? "1 request was" : `${unheard} requests were`;
  return { status: "blocked", exitCode: 3, reason: `${what} denied because no person answered` };
}

/** An unanswered approval takes precedence over a failure, but not over a missing key or a stop by a person. */
function weigh(connection: Connection, row: WorkflowRow, end: Ending): Ending {
  if ((end.status !== "failed" && end.status !== "limited") || end.exitCode === 4) return end;
  const unheard = countUnheard(connection, row.id, row.run);
  if (unheard === 0) return end;
  const { reason, ...ending } = blocked(unheard);
  return { ...ending, reason: [end.reason, reason].filter(Boolean).join("; ") };
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

/** The number of deliveries in a state, of one run or of all. */
function countOpen(connection: Connection, instance: string, state: "dead" | "parked", run: number | null): number {
  return (
    connection.get<{ count: number }>(
      "SELECT COUNT(*) AS count FROM deliveries WHERE workflow = ?1 AND state = ?2 AND state <> 'done' AND (?3 IS NULL OR run = ?3)",
      instance,
      state,
      run,
    )?.count ?? 0
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

/** The result of the run: final text, captured outputs, and cost. */
function summarize(
  connection: Connection,
  row: WorkflowRow,
): Pick<RunResult, "output" | "results" | "usage" | "turns"> {
  const total = connection.get<{
    turns: number;
    used: number;
    input_tokens: number;
    output_tokens: number;
    cost: number | null;
  }>(
    // If the cost of one turn is unknown, so is the cost of the run: a partial sum would look complete.
    `SELECT COUNT(*) FILTER (WHERE state <> 'split') AS turns, COALESCE(MAX(used), 0) AS used, COALESCE(SUM(input_tokens), 0) AS input_tokens,
       COALESCE(SUM(output_tokens), 0) AS output_tokens, CASE WHEN COUNT(*) FILTER (WHERE used = 1 AND cost IS NULL) = 0 THEN SUM(cost) END AS cost
     FROM turns WHERE workflow = ? AND run = ?`,
    row.id,
    row.run,
  );
  const captured = connection.all<{ captured_as: string; output: string }>(
    `SELECT captured_as, output FROM task_steps WHERE workflow = ? AND run = ? AND state = 'done' AND skipped = 0 AND captured_as IS NOT NULL
     ORDER BY position`,
    row.id,
    row.run,
  );
  return {
    output: readOutput(connection, row),
    results: Object.fromEntries(captured.map(({ captured_as, output: value }) => [captured_as, value])),
    usage: (total && toUsage(total)) ?? { inputTokens: 0, outputTokens: 0 },
    turns: total?.turns ?? 0,
  };
}

/**
 * The last non-empty final text; with tasks, the result of the last task, unless the kickoff led to a later text. There is
 * none if the last task failed or did not run: the result of an earlier task is not the output of the run.
 */
function readOutput(
  connection: Connection,
  { id, run, kickoff_seq: kickoffSeq, tasks_open: tasksOpen }: WorkflowRow,
): string {
  if (tasksOpen && hasBegunTasks(connection, id, run)) return "";
  const task = connection.get<{ output: string }>(
    `SELECT output FROM task_steps WHERE workflow = ? AND run = ? AND state = 'done' AND skipped = 0 AND inherited = 0 AND step LIKE 'tasks%'
     ORDER BY position DESC LIMIT 1`,
    id,
    run,
  );
  if (task && kickoffSeq === null) return task.output;
  const turn = connection.get<{ text: string }>(
    `SELECT text FROM turns WHERE workflow = ? AND run = ? AND state = 'succeeded' AND text <> '' AND ended_seq > ?
     ORDER BY ended_seq DESC LIMIT 1`,
    id,
    run,
    task ? kickoffSeq : -1,
  );
  return turn?.text ?? task?.output ?? "";
}

/** An election before the kickoff also counts as open tasks, but is not a task. */
function hasBegunTasks(connection: Connection, instance: string, run: number): boolean {
  const step = connection.get(
    "SELECT 1 FROM task_steps WHERE workflow = ? AND run = ? AND inherited = 0 AND step LIKE 'tasks%' LIMIT 1",
    instance,
    run,
  );
  return step !== null;
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
