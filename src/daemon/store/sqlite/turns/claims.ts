/** Claims: the right to work as an agent, given to one attempt at a time. */
import { votingEntry } from "../../../../protocol/turn.ts";
import type { MessageKind } from "../../../../protocol/message.ts";
import { batchSize } from "../../../../protocol/limits.ts";
import type { Claim, Claimed, ClaimRequest, NoClaim } from "../../data.ts";
import type { Connection } from "../connection.ts";
import { claimedBy, take } from "../channel/deliveries.ts";
import { emit } from "../events.ts";
import { insertPart } from "./failure.ts";
import { giveBack } from "./finish.ts";
import type { AgentRow, TurnRow, WorkflowRow } from "../rows.ts";
import { checkClaim, turnRow } from "./turns.ts";

/** The parts of a due delivery needed to choose a batch. */
type Due = { message: string; turn: string | null; asked: number; hop: number; kind: MessageKind };

export function claimInbox(connection: Connection, request: ClaimRequest): Claimed | NoClaim {
  const { instance, agent: name, node, leaseMs, tokenHash } = request;
  const now = connection.now();
  const owner = connection.get<WorkflowRow>("SELECT * FROM workflows WHERE id = ?", instance);
  const agent = connection.get<AgentRow>("SELECT * FROM agents WHERE workflow = ? AND name = ?", instance, name);
  if (!owner || !agent || owner.state !== "running" || agent.stopped) return { wait: "stopped" };
  if (owner.phase === "setup") return { wait: "idle" };
  if (agent.turn !== null && !takeOver(connection, owner, agent)) return { wait: "busy" };

  const batch = chooseBatch(connection, instance, name, now);
  const first = batch[0];
  if (!first) return nextDue(connection, instance, name);
  if (countRunning(connection, instance) >= owner.concurrency) return { wait: "slots" };

  const turn = first.turn
    ? repeatTurn(connection, owner, first.turn, tokenHash, now)
    : beginTurn(connection, owner, agent, batch, tokenHash, now);
  const fence = owner.last_fence + 1;
  connection.run("UPDATE workflows SET last_fence = ? WHERE id = ?", fence, instance);
  connection.run(
    "UPDATE agents SET fence = ?, lease_node = ?, lease_until = ?, turn = ? WHERE workflow = ? AND name = ?",
    fence,
    node,
    now + leaseMs,
    turn.id,
    instance,
    name,
  );
  const messages = batch.map(({ message }) => message);
  emit(connection, instance, owner.run, {
    type: "turn-start",
    agent: agent.name,
    turn: turn.id,
    data: { attempt: turn.attempt, messages },
  });
  for (const message of messages) take(connection, owner, agent.name, turn.id, message, now);
  return {
    instance,
    agent: agent.name,
    run: owner.run,
    turn: turn.id,
    attempt: turn.attempt,
    entry: turn.entry,
    fence,
    node,
    deliveries: claimedBy(connection, turn.id),
  };
}

export function renew(connection: Connection, { instance, agent, fence, turn, node }: Claim, leaseMs: number): boolean {
  const { changes } = connection.run(
    `UPDATE agents SET lease_until = ? WHERE workflow = ? AND name = ? AND fence = ? AND turn = ? AND lease_node = ?`,
    connection.now() + leaseMs,
    instance,
    agent,
    fence,
    turn,
    node,
  );
  return changes === 1;
}

export function claimByToken(connection: Connection, instance: string, tokenHash: string): Claim | null {
  const row = connection.get<TurnRow & { fence: number; lease_node: string }>(
    `SELECT t.*, a.fence, a.lease_node FROM turns t JOIN agents a ON a.workflow = t.workflow AND a.turn = t.id
     WHERE t.workflow = ? AND t.token_hash = ? AND t.state = 'running'`,
    instance,
    tokenHash,
  );
  return (
    row && {
      instance,
      agent: row.agent,
      run: row.run,
      turn: row.id,
      attempt: row.attempt,
      entry: row.entry,
      fence: row.fence,
      node: row.lease_node,
    }
  );
}

export function noteWorker(
  connection: Connection,
  claim: Claim,
  { pid, startTime }: { pid: number; startTime: string },
) {
  checkClaim(connection, claim);
  connection.run("UPDATE turns SET pid = ?, pid_start = ? WHERE id = ?", pid, startTime, claim.turn);
}

/** Ends an attempt with an expired lease, of a node that is gone or that has lost the turn. */
function takeOver(connection: Connection, owner: WorkflowRow, agent: AgentRow): boolean {
  if (agent.turn === null || (agent.lease_until ?? 0) > connection.now()) return false;
  const attempted = { instance: owner.id, run: owner.run, agent: agent.name, turn: agent.turn };
  giveBack(connection, attempted, turnRow(connection, agent.turn), "its lease was not renewed");
  return true;
}

/** The first due delivery decides: a turn to retry keeps its batch, an asked one is alone, otherwise all new ones. */
function chooseBatch(connection: Connection, instance: string, agent: string, now: number): Due[] {
  const columns = `d.message, d.turn, d.asked, m.hop, m.kind FROM deliveries d JOIN messages m ON m.id = d.message
    WHERE d.workflow = ?1 AND d.agent = ?2 AND d.state = 'pending' AND d.state <> 'done'`;
  const order = "ORDER BY d.priority, d.seq";
  // Updated later than now: the clock was set back, which must not extend a backoff.
  const due = "(d.not_before <= ?3 OR d.updated_at > ?3)";
  const first = connection.get<Due>(`SELECT ${columns} AND ${due} ${order} LIMIT 1`, instance, agent, now);
  if (!first) return [];
  if (first.turn) return connection.all<Due>(`SELECT ${columns} AND d.turn = ?3 ${order}`, instance, agent, first.turn);
  if (first.asked) return [first];
  return connection.all<Due>(
    `SELECT ${columns} AND ${due} AND d.turn IS NULL AND d.asked = 0 ${order} LIMIT ?4`,
    instance,
    agent,
    now,
    batchSize,
  );
}

function nextDue(connection: Connection, instance: string, agent: string): NoClaim {
  const row = connection.get<{ at: number | null }>(
    "SELECT MIN(not_before) AS at FROM deliveries WHERE workflow = ? AND agent = ? AND state = 'pending' AND state <> 'done'",
    instance,
    agent,
  );
  return row?.at ? { wait: "until", at: row.at } : { wait: "idle" };
}

/** A turn that waits for a person does not use a slot. */
function countRunning(connection: Connection, instance: string): number {
  return (
    connection.get<{ count: number }>(
      `SELECT COUNT(*) AS count FROM turns t WHERE t.workflow = ?1 AND t.state = 'running' AND NOT EXISTS
         (SELECT 1 FROM approvals a WHERE a.workflow = ?1 AND a.turn = t.id AND a.state = 'waiting')`,
      instance,
    )?.count ?? 0
  );
}

function beginTurn(
  connection: Connection,
  owner: WorkflowRow,
  agent: AgentRow,
  batch: Due[],
  tokenHash: string,
  now: number,
): { id: string; attempt: number; entry: number } {
  const isVoting = batch.every(({ kind }) => kind === "proposal");
  const turn = { id: connection.newId("t"), attempt: 1, entry: isVoting ? votingEntry : agent.next_entry };
  connection.run(
    `INSERT INTO turns (id, workflow, agent, run, state, attempt, entry, hop, open, token_hash, started_at, attempt_started_at)
     VALUES (?, ?, ?, ?, 'running', 1, ?, ?, ?, ?, ?, ?)`,
    turn.id,
    owner.id,
    agent.name,
    owner.run,
    turn.entry,
    Math.max(...batch.map(({ hop }) => hop)),
    batch.some(({ asked }) => asked) ? 0 : 1,
    tokenHash,
    now,
    now,
  );
  if (isVoting) return turn;
  connection.run("UPDATE agents SET next_entry = next_entry + 1 WHERE workflow = ? AND name = ?", owner.id, agent.name);
  return turn;
}

/** Starts another attempt, without new deliveries, so that a poison message cannot spread. A succeeded turn is not changed. */
function repeatTurn(
  connection: Connection,
  owner: WorkflowRow,
  id: string,
  tokenHash: string,
  now: number,
): { id: string; attempt: number; entry: number } {
  const before = turnRow(connection, id);
  const { attempt, entry } = before;
  if (before.state === "succeeded") id = insertPart(connection, before, before.reason ?? "");
  connection.run(
    `UPDATE turns SET state = 'running', run = ?, attempt = ?, open = 0, token_hash = ?, pid = NULL, pid_start = NULL, reason = NULL,
       attempt_started_at = ?, ended_at = NULL WHERE id = ?`,
    owner.run,
    attempt + 1,
    tokenHash,
    now,
    id,
  );
  return { id, attempt: attempt + 1, entry };
}

/** Agents with work that can run, and when it is due; a turn with an expired lease counts as work. */
export function readOwed(connection: Connection): { instance: string; agent: string; dueAt: number }[] {
  return connection.all(
    `SELECT workflow AS instance, agent, MIN(due) AS dueAt FROM (
       SELECT d.workflow, a.name AS agent, d.not_before AS due FROM deliveries d
         JOIN workflows w ON w.id = d.workflow AND w.state = 'running'
         JOIN agents a ON a.workflow = d.workflow AND a.name = d.agent AND a.stopped = 0
         WHERE d.state = 'pending' AND d.state <> 'done'
       UNION ALL
       SELECT t.workflow, a.name, a.lease_until FROM turns t
         JOIN workflows w ON w.id = t.workflow AND w.state = 'running'
         JOIN agents a ON a.workflow = t.workflow AND a.name = t.agent AND a.turn = t.id AND a.stopped = 0
         WHERE t.state = 'running' AND a.lease_until <= ?
     ) GROUP BY workflow, agent`,
    connection.now(),
  );
}
