/** The journal of `setup`: what was begun, what it gave, so that a crash repeats nothing unasked. */
import type { StepRecord } from "../store.ts";
import type { Connection } from "./connection.ts";
import { emit } from "./events.ts";
import { toStep } from "./rows.ts";
import { workflowRow } from "./workflows.ts";

type StepRow = {
  step: string;
  title: string;
  state: StepRecord["state"];
  output: string;
  captured_as: string | null;
  started_at: number;
};

export function readSteps(connection: Connection, workflow: string): StepRecord[] {
  const { run } = workflowRow(connection, workflow);
  return connection
    .all<StepRow>("SELECT * FROM task_steps WHERE workflow = ? AND run = ? ORDER BY position", workflow, run)
    .map(toStep);
}

export function beginStep(
  connection: Connection,
  workflow: string,
  { step, title, as }: { step: string; title: string; as: string | null },
): void {
  const { run } = workflowRow(connection, workflow);
  connection.run(
    `INSERT INTO task_steps (workflow, run, step, position, title, captured_as, state, started_at)
     VALUES (?1, ?2, ?3, (SELECT COUNT(*) FROM task_steps WHERE workflow = ?1 AND run = ?2), ?4, ?5, 'running', ?6)
     ON CONFLICT DO UPDATE SET state = 'running', started_at = excluded.started_at`,
    workflow,
    run,
    step,
    title,
    as,
    connection.now(),
  );
  emit(connection, workflow, run, { type: "task-start", data: { step, title } });
}

export function endStep(
  connection: Connection,
  workflow: string,
  step: string,
  { ok, output, reason }: { ok: boolean; output: string; reason: string | null },
): void {
  const { run } = workflowRow(connection, workflow);
  const begun = connection.get<StepRow>(
    "SELECT * FROM task_steps WHERE workflow = ? AND run = ? AND step = ?",
    workflow,
    run,
    step,
  );
  if (begun?.state !== "running") return;
  connection.run(
    "UPDATE task_steps SET state = ?, output = ? WHERE workflow = ? AND run = ? AND step = ?",
    ok ? "done" : "failed",
    output,
    workflow,
    run,
    step,
  );
  const duration = Math.max(0, connection.now() - begun.started_at);
  emit(connection, workflow, run, { type: "task-end", data: { step, title: begun.title, ok, reason, duration } });
}
