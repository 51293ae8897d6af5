/** The records of `setup` and `tasks` steps, so that a crash repeats no step without permission. */
import type { StepBegin, StepEnd, StepRecord } from "../../data.ts";
import type { Connection } from "../connection.ts";
import { emit } from "../events.ts";
import { toStep } from "../rows.ts";
import { workflowRow } from "./workflows.ts";

type StepRow = {
  step: string;
  title: string;
  state: StepRecord["state"];
  output: string;
  captured_as: string | null;
  started_at: number;
};

export function readSteps(connection: Connection, instance: string): StepRecord[] {
  const { run } = workflowRow(connection, instance);
  return connection
    .all<StepRow>("SELECT * FROM task_steps WHERE workflow = ? AND run = ? ORDER BY position", instance, run)
    .map(toStep);
}

export function beginStep(connection: Connection, instance: string, { step, position, title, as }: StepBegin): void {
  const { run } = workflowRow(connection, instance);
  connection.run(
    `INSERT INTO task_steps (workflow, run, step, position, title, captured_as, state, started_at)
     VALUES (?1, ?2, ?3, COALESCE(?4, (SELECT COUNT(*) FROM task_steps WHERE workflow = ?1 AND run = ?2)), ?5, ?6, 'running', ?7)
     ON CONFLICT DO UPDATE SET state = 'running', started_at = excluded.started_at`,
    instance,
    run,
    step,
    position ?? null,
    title,
    as,
    connection.now(),
  );
  emit(connection, instance, run, { type: "task-start", data: { step, title } });
}

export function endStep(
  connection: Connection,
  instance: string,
  step: string,
  { ok, output, reason, skipped = false }: StepEnd,
): void {
  const { run } = workflowRow(connection, instance);
  const begun = connection.get<StepRow>(
    "SELECT * FROM task_steps WHERE workflow = ? AND run = ? AND step = ?",
    instance,
    run,
    step,
  );
  if (begun?.state !== "running") return;
  connection.run(
    "UPDATE task_steps SET state = ?, output = ?, skipped = ? WHERE workflow = ? AND run = ? AND step = ?",
    ok ? "done" : "failed",
    output,
    skipped ? 1 : 0,
    instance,
    run,
    step,
  );
  const duration = Math.max(0, connection.now() - begun.started_at);
  emit(connection, instance, run, { type: "task-end", data: { step, title: begun.title, ok, reason, duration } });
}
