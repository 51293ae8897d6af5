/** How a run ended: its status, exit code and reason, its output and what it used. */
import type { RunResult, RunStatus } from "../../../../protocol/instance.ts";
import { countUnheard } from "../approvals.ts";
import type { Connection } from "../connection.ts";
import { type WorkflowRow, toUsage } from "../rows.ts";

export type Ending = { status: RunStatus; exitCode: number; reason: string | null };

/** The remaining deliveries decide how a run ended; the most serious first. */
export function verdict(connection: Connection, { id, run }: WorkflowRow): Ending {
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
export function weigh(connection: Connection, row: WorkflowRow, end: Ending): Ending {
  if ((end.status !== "failed" && end.status !== "limited") || end.exitCode === 4) return end;
  const unheard = countUnheard(connection, row.id, row.run);
  if (unheard === 0) return end;
  const { reason, ...ending } = blocked(unheard);
  return { ...ending, reason: [end.reason, reason].filter(Boolean).join("; ") };
}

/** The number of deliveries in a state, of one run or of all. */
export function countOpen(
  connection: Connection,
  instance: string,
  state: "dead" | "parked",
  run: number | null,
): number {
  return (
    connection.get<{ count: number }>(
      "SELECT COUNT(*) AS count FROM deliveries WHERE workflow = ?1 AND state = ?2 AND state <> 'done' AND (?3 IS NULL OR run = ?3)",
      instance,
      state,
      run,
    )?.count ?? 0
  );
}

/** The result of the run: final text, captured outputs, and cost. */
export function summarize(
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
