/** Approvals and questions: asked by an attempt, decided once, cancelled with it. */
import { Approval, type ApprovalKind, type ApprovalState, type DecidedBy } from "../../../protocol/approval.ts";
import { AppError } from "../../../protocol/error.ts";
import { approvalsPerWorkflow, eventTextChars } from "../../../protocol/limits.ts";
import { formatTarget } from "../../../protocol/target.ts";
import { shownArguments } from "../../../text/shown-arguments.ts";
import type { ApprovalDecision, ApprovalFilter, Claim, NewApproval } from "../data.ts";
import type { Connection } from "./connection.ts";
import { emit } from "./events.ts";
import { checkClaim } from "./turns/turns.ts";
import { workflowRow } from "./instances/workflows.ts";

type ApprovalRow = {
  id: string;
  workflow: string;
  run: number;
  agent: string;
  turn: string;
  kind: ApprovalKind;
  tool: string;
  args: string;
  masked: number;
  hash: string;
  input_schema: string | null;
  cwd: string | null;
  why: string | null;
  question: string | null;
  options: string;
  state: ApprovalState;
  asked_at: number;
  deadline: number;
  decided_at: number | null;
  decided_by: DecidedBy | null;
  reason: string | null;
  approved_hash: string | null;
  edited: string | null;
  answer: string | null;
  name: string;
  tag: string;
  project: string;
};

type Decision = Omit<ApprovalDecision, "state" | "by"> & { state: ApprovalState; by: DecidedBy };

const rows = "SELECT a.*, w.name, w.tag, w.project FROM approvals a JOIN workflows w ON w.id = a.workflow";

export function askApproval(connection: Connection, claim: Claim, ask: NewApproval): Approval {
  checkClaim(connection, claim);
  const before = findAsked(connection, claim, ask);
  if (before && before.hash === ask.hash && before.tool === ask.tool) return toApproval(before);
  if (before) throw new AppError("conflict", `${ask.request} was already used for another call`);
  const { attended } = workflowRow(connection, claim.instance);
  if (countWaiting(connection, claim.instance) >= approvalsPerWorkflow) {
    throw new AppError("limit", `${approvalsPerWorkflow} requests are already waiting for a person`);
  }
  const id = insert(connection, claim, attended ? ask : { ...ask, timeoutMs: 0 });
  const { kind, tool, masked, cwd, why, question, options } = ask;
  const asked = approvalRow(connection, id);
  const shown = shownArguments(ask.args);
  emit(connection, claim.instance, claim.run, {
    type: "approval-ask",
    agent: claim.agent,
    turn: claim.turn,
    data: { approval: id, kind, tool, ...shown, masked, cwd, why, question, options, deadline: asked.deadline },
  });
  if (attended) return toApproval(asked);
  return decide(connection, asked, { state: "denied", by: "nobody", reason: "no person is available to answer" });
}

export function decideApproval(
  connection: Connection,
  id: string,
  decision: ApprovalDecision,
): { approval: Approval; decided: boolean } | null {
  const row = connection.get<ApprovalRow>(`${rows} WHERE a.id = ?`, id);
  if (!row) return null;
  if (row.state !== "waiting") return { approval: toApproval(row), decided: false };
  return { approval: decide(connection, row, decision), decided: true };
}

/** Cancels the open approvals of an attempt that has ended. */
export function cancelApprovals(connection: Connection, turn: string): void {
  const waiting = connection.all<ApprovalRow>(
    `${rows} WHERE a.turn = ? AND a.state = 'waiting' ORDER BY a.rowid`,
    turn,
  );
  for (const row of waiting) {
    decide(connection, row, { state: "cancelled", by: "turn", reason: "the turn that asked has ended" });
  }
}

export function readApproval(connection: Connection, id: string): Approval | null {
  const row = connection.get<ApprovalRow>(`${rows} WHERE a.id = ?`, id);
  return row && toApproval(row);
}

export function readApprovals(connection: Connection, filter: ApprovalFilter): Approval[] {
  // The redundant condition makes SQLite use the index of waiting approvals.
  const waiting = filter.state === "waiting" ? "AND a.state = 'waiting'" : "";
  return connection
    .all<ApprovalRow>(
      `${rows} WHERE (?1 IS NULL OR a.workflow = ?1) AND (?2 IS NULL OR a.agent = ?2) AND (?3 IS NULL OR a.state = ?3)
       ${waiting} AND (?4 IS NULL OR w.project = ?4) ORDER BY a.rowid LIMIT ?5`,
      filter.instance ?? null,
      filter.agent ?? null,
      filter.state ?? null,
      filter.project ?? null,
      filter.limit,
    )
    .map(toApproval);
}

/** How many approvals of a run were denied because no person answered. */
export function countUnheard(connection: Connection, instance: string, run: number): number {
  const counted = connection.get<{ count: number }>(
    "SELECT COUNT(*) AS count FROM approvals WHERE workflow = ? AND run = ? AND decided_by IN ('deadline', 'nobody')",
    instance,
    run,
  );
  return counted?.count ?? 0;
}

/** The same request of the same attempt; without a request id, the same question while it waits. */
function findAsked(connection: Connection, { turn, fence }: Claim, { request, tool, hash }: NewApproval) {
  return request === null
    ? connection.get<ApprovalRow>(
        `${rows} WHERE a.turn = ? AND a.fence = ? AND a.tool = ? AND a.hash = ? AND a.state = 'waiting'`,
        turn,
        fence,
        tool,
        hash,
      )
    : connection.get<ApprovalRow>(
        `${rows} WHERE a.turn = ? AND a.fence = ? AND a.request = ? AND a.request IS NOT NULL`,
        turn,
        fence,
        request,
      );
}

function countWaiting(connection: Connection, instance: string): number {
  const counted = connection.get<{ count: number }>(
    "SELECT COUNT(*) AS count FROM approvals WHERE workflow = ? AND state = 'waiting'",
    instance,
  );
  return counted?.count ?? 0;
}

function insert(connection: Connection, claim: Claim, ask: NewApproval): string {
  const id = connection.newId("a");
  const now = connection.now();
  connection.run(
    `INSERT INTO approvals (id, workflow, run, agent, turn, fence, request, kind, tool, args, masked, hash, input_schema, cwd, why,
       question, options, state, asked_at, deadline) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?)`,
    id,
    claim.instance,
    claim.run,
    claim.agent,
    claim.turn,
    claim.fence,
    ask.request,
    ask.kind,
    ask.tool,
    ask.args,
    ask.masked,
    ask.hash,
    ask.inputSchema && JSON.stringify(ask.inputSchema),
    ask.cwd,
    ask.why,
    ask.question,
    JSON.stringify(ask.options),
    now,
    now + ask.timeoutMs,
  );
  return id;
}

/** The approval must be waiting: the caller has checked that in this transaction. */
function decide(connection: Connection, row: ApprovalRow, decision: Decision): Approval {
  const { state, by, reason, edited, answer = null } = decision;
  connection.run(
    `UPDATE approvals SET state = ?, decided_at = ?, decided_by = ?, reason = ?, approved_hash = ?, edited = ?, answer = ?
     WHERE id = ?`,
    state,
    connection.now(),
    by,
    reason,
    state === "approved" ? (edited?.hash ?? row.hash) : null,
    edited ? JSON.stringify(edited.args) : null,
    answer,
    row.id,
  );
  emit(connection, row.workflow, row.run, {
    type: "approval-decide",
    agent: row.agent,
    turn: row.turn,
    data: {
      approval: row.id,
      kind: row.kind,
      tool: row.tool,
      state,
      by,
      reason,
      edited: edited !== undefined,
      answer: answer && answer.slice(0, eventTextChars),
    },
  });
  return toApproval(approvalRow(connection, row.id));
}

function approvalRow(connection: Connection, id: string): ApprovalRow {
  const row = connection.get<ApprovalRow>(`${rows} WHERE a.id = ?`, id);
  if (!row) throw new Error(`the approval ${id} is gone`);
  return row;
}

function toApproval(row: ApprovalRow): Approval {
  return Approval.parse({
    ...row,
    whole: true,
    workflow: row.name,
    target: formatTarget({ agent: row.agent, workflow: row.name, tag: row.tag }),
    options: JSON.parse(row.options),
    inputSchema: row.input_schema === null ? null : JSON.parse(row.input_schema),
    askedAt: row.asked_at,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by,
    approvedHash: row.approved_hash,
    edited: row.edited === null ? null : JSON.parse(row.edited),
  });
}
