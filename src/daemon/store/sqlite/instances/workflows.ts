/** Finds, lists and describes workflow instances. */
import { RunResult, type WorkflowInfo, type WorkflowState } from "../../../../protocol/instance.ts";
import { AppError } from "../../../../protocol/error.ts";
import { formatTarget } from "../../../../protocol/target.ts";
import type { Instance } from "../../data.ts";
import type { Connection } from "../connection.ts";
import { type WorkflowRow, toInstance } from "../rows.ts";

export function workflowRow(connection: Connection, id: string): WorkflowRow {
  const row = connection.get<WorkflowRow>("SELECT * FROM workflows WHERE id = ?", id);
  if (!row) throw new AppError("not-found", `there is no workflow instance ${id}`);
  return row;
}

export function readInstance(connection: Connection, id: string): Instance | null {
  const row = connection.get<WorkflowRow>("SELECT * FROM workflows WHERE id = ?", id);
  return row && toInstance(row);
}

export function readInstances(
  connection: Connection,
  filter: { name?: string; tag?: string; project?: string; state?: WorkflowState } = {},
): Instance[] {
  return connection
    .all<WorkflowRow>(
      `SELECT * FROM workflows WHERE (?1 IS NULL OR name = ?1) AND (?2 IS NULL OR tag = ?2)
         AND (?3 IS NULL OR project = ?3) AND (?4 IS NULL OR state = ?4) ORDER BY started_at, rowid`,
      filter.name ?? null,
      filter.tag ?? null,
      filter.project ?? null,
      filter.state ?? null,
    )
    .map(toInstance);
}

/** Everything except the agents, which are in `agents.ts`. */
export function describeWorkflow(connection: Connection, id: string): Omit<WorkflowInfo, "agents"> {
  const row = workflowRow(connection, id);
  return {
    id: row.id,
    name: row.name,
    tag: row.tag,
    target: formatTarget({ workflow: row.name, tag: row.tag }),
    project: row.project,
    mode: row.mode,
    state: row.state,
    run: row.run,
    messages: row.next_seq - 1,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    result: row.result === null ? null : RunResult.parse(JSON.parse(row.result)),
    proposals: countProposals(connection, id),
    elected: { documentOwner: row.document_owner, coordinator: row.coordinator },
  };
}

/** A proposal waits for the user as a voter who has not voted, or as the creator of a tie: all have voted and it is open. */
function countProposals(connection: Connection, id: string): WorkflowInfo["proposals"] {
  return (
    connection.get<WorkflowInfo["proposals"]>(
      `SELECT COUNT(*) AS active, COUNT(*) FILTER (
         WHERE EXISTS (SELECT 1 FROM json_each(p.question, '$.voters') WHERE value = 'user')
           AND NOT EXISTS (SELECT 1 FROM votes WHERE proposal = p.id AND voter = 'user')
         OR p.creator = 'user' AND p.question ->> '$.tieBreaker' = 'creator-decides'
           AND NOT EXISTS (SELECT 1 FROM json_each(p.question, '$.voters') AS asked
             WHERE NOT EXISTS (SELECT 1 FROM votes WHERE proposal = p.id AND voter = asked.value))) AS waitingForUser
       FROM proposals p WHERE p.workflow = ? AND p.status = 'active'`,
      id,
    ) ?? { active: 0, waitingForUser: 0 }
  );
}

export function removeInstance(connection: Connection, id: string): void {
  connection.run("DELETE FROM workflows WHERE id = ?", id);
}

export function countAll(connection: Connection): {
  workflows: number;
  running: number;
  agents: number;
  turns: number;
} {
  return (
    connection.get<{ workflows: number; running: number; agents: number; turns: number }>(
      `SELECT (SELECT COUNT(*) FROM workflows) AS workflows,
         (SELECT COUNT(*) FROM workflows WHERE state = 'running' AND name <> 'global') AS running,
         (SELECT COUNT(*) FROM agents) AS agents,
         (SELECT COUNT(*) FROM turns WHERE state = 'running') AS turns`,
    ) ?? { workflows: 0, running: 0, agents: 0, turns: 0 }
  );
}
