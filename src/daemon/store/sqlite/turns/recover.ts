/** Recovery after a crash: voids every older claim, and makes its deliveries pending again. */
import { listSteps } from "../../../../workflow/steps.ts";
import type { Instance } from "../../data.ts";
import { claimedBy } from "../channel/deliveries.ts";
import type { Connection } from "../connection.ts";
import { fail } from "./failure.ts";
import { giveBack } from "./finish.ts";
import { type AgentRow, type TurnRow, type WorkflowRow, toAgent, toInstance } from "../rows.ts";
import { endRun } from "../instances/runs.ts";
import { workflowRow } from "../instances/workflows.ts";

/** After this many crashes with a delivery claimed, each further crash counts as an attempt. */
const innocentCrashes = 2;

export function recover(connection: Connection): {
  workers: { pid: number; startTime: string }[];
  interrupted: Instance[];
} {
  const running = connection.all<TurnRow & { pid: number | null; pid_start: string | null }>(
    "SELECT * FROM turns WHERE state = 'running' ORDER BY rowid",
  );
  for (const turn of running) giveUp(connection, turn);
  const workers = running.flatMap(({ pid, pid_start }) => (pid && pid_start ? [{ pid, startTime: pid_start }] : []));
  return { workers, interrupted: interruptCutSteps(connection) };
}

function giveUp(connection: Connection, turn: TurnRow): void {
  const attempted = { instance: turn.workflow, run: turn.run, agent: turn.agent, turn: turn.id };
  const reason = "the daemon exited while this turn was running";
  connection.run("UPDATE deliveries SET crashes = crashes + 1 WHERE turn = ? AND state = 'claimed'", turn.id);
  const claimed = claimedBy(connection, turn.id);
  const crashes = connection.get<{ most: number | null }>(
    "SELECT MAX(crashes) AS most FROM deliveries WHERE turn = ? AND state = 'claimed'",
    turn.id,
  );
  giveBack(connection, attempted, turn, reason);
  if ((crashes?.most ?? 0) <= innocentCrashes) return;
  fail(connection, attempted, turn, claimed, { delaysMs: noDelays(connection, turn), reason, permanent: false });
}

/** Retries after a crash have no delay; their number is that of the agent's `retry`. */
function noDelays(connection: Connection, turn: TurnRow): number[] {
  const agent = connection.get<AgentRow>(
    "SELECT * FROM agents WHERE workflow = ? AND name = ?",
    turn.workflow,
    turn.agent,
  );
  return agent ? Array.from({ length: toAgent(agent).definition.retry.attempts - 1 }, () => 0) : [];
}

/** An interrupted step may be half done: only a person or `idempotent: true` lets it run again. */
function interruptCutSteps(connection: Connection): Instance[] {
  const cut = connection.all<WorkflowRow & { step: string }>(
    `SELECT w.*, s.step FROM workflows w JOIN task_steps s ON s.workflow = w.id AND s.run = w.run
     WHERE w.state = 'running' AND (w.phase = 'setup' OR w.tasks_open) AND s.state = 'running' ORDER BY s.position`,
  );
  const interrupted: Instance[] = [];
  for (const { step, ...row } of cut) {
    if (mayRepeat(toInstance(row), step) || interrupted.some(({ id }) => id === row.id)) continue;
    endRun(connection, row.id, {
      status: "interrupted",
      exitCode: 1,
      reason: `the daemon exited while ${step} was running`,
    });
    interrupted.push(toInstance(workflowRow(connection, row.id)));
  }
  return interrupted;
}

/** A sent message is not sent again: its task keeps waiting. */
function mayRepeat({ definition }: Instance, name: string): boolean {
  const step = listSteps(definition).find((other) => other.name === name)?.step;
  return step !== undefined && (!("shell" in step) || step.idempotent);
}
