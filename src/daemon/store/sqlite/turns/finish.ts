/** The end of an attempt: done, retried, dead, parked or released, together with its final text. */
import { eventTextChars } from "../../../../protocol/limits.ts";
import type { Outcome, Usage } from "../../../../protocol/turn.ts";
import type { Claim, Finish, Finished } from "../../data.ts";
import { cancelApprovals } from "../approvals.ts";
import { claimedBy, markDone } from "../channel/deliveries.ts";
import type { Connection } from "../connection.ts";
import { writeConversation } from "./conversations.ts";
import { emit } from "../events.ts";
import { type Attempted, fail, park, setTurnState } from "./failure.ts";
import { resolve, write } from "../channel/messages.ts";
import type { TurnRow } from "../rows.ts";
import { checkClaim, lineage, turnRow } from "./turns.ts";
import { workflowRow } from "../instances/workflows.ts";

export function finishTurn(connection: Connection, claim: Claim, finish: Finish): Finished {
  checkClaim(connection, claim);
  const { outcome } = finish;
  const turn = turnRow(connection, claim.turn);
  const claimed = claimedBy(connection, claim.turn);
  addUsage(connection, claim.turn, outcome.usage);
  freeAgent(connection, claim);
  cancelApprovals(connection, claim.turn);
  endTurn(connection, claim, turn, outcome);
  if (outcome.status === "succeeded") {
    for (const { message } of claimed) markDone(connection, claim, message.id);
    if (outcome.conversation !== undefined) writeConversation(connection, claim, outcome.conversation);
    const woken = postFinal(connection, claim, turn, finish);
    return { wake: isOwed(connection, claim) ? [claim.agent, ...woken] : woken, retryAt: null };
  }
  if (finish.park) {
    setTurnState(connection, claim.turn, "waiting", finish.park.reason);
    for (const { message } of claimed) park(connection, claim, message.id, finish.park);
    return { wake: isOwed(connection, claim) ? [claim.agent] : [], retryAt: null };
  }
  const { kind, message: reason } = outcome.failure;
  const failing = { delaysMs: finish.delaysMs, reason, permanent: kind === "permanent" };
  const retryAt = fail(connection, claim, turn, claimed, failing);
  return { wake: isOwed(connection, claim) ? [claim.agent] : [], retryAt };
}

/** Releases everything; the same batch will be claimed again as the same turn. */
export function releaseTurn(connection: Connection, claim: Claim, reason: string): void {
  checkClaim(connection, claim);
  giveBack(connection, claim, turnRow(connection, claim.turn), reason);
}

/** Ends the running attempt of `turn` without counting it: its deliveries are pending, and its token is invalid. */
export function giveBack(connection: Connection, claim: Attempted, turn: TurnRow, reason: string): void {
  connection.run(
    "UPDATE deliveries SET state = 'pending', acked = 0, not_before = 0, updated_at = ? WHERE turn = ? AND state = 'claimed'",
    connection.now(),
    claim.turn,
  );
  setTurnState(connection, claim.turn, "waiting", reason);
  freeAgent(connection, claim);
  cancelApprovals(connection, claim.turn);
  emitEnd(connection, claim, turn, { status: "released", reason, text: null, usage: null });
}

/** Posts the final text to the person who asked and to agents mentioned for the first time; otherwise keeps it as a log. */
function postFinal(connection: Connection, claim: Claim, turn: TurnRow, { final }: Finish): string[] {
  if (!final || final.content === "") return [];
  const { agents, unknown, user } = resolve(connection, claim.instance, final);
  const addressed = addressedBy(connection, claim.turn);
  const recipients = agents.filter((agent) => !addressed.has(agent));
  if (user || final.answers) recipients.unshift("user");
  const draft = recipients.length === 0 ? { ...final, kind: "log" as const } : final;
  const author = { turn: claim.turn, fence: claim.fence, hop: turn.hop + 1 };
  return write(connection, workflowRow(connection, claim.instance), draft, recipients, unknown, author).wake;
}

/** The recipients that this turn, or those it was split from, has written to; requests to vote do not count. */
function addressedBy(connection: Connection, turn: string): Set<string> {
  const rows = connection.all<{ name: string }>(
    `SELECT DISTINCT r.value AS name FROM messages m, json_each(m.recipients) r
     WHERE m.turn IN (SELECT value FROM json_each(?)) AND m.kind <> 'proposal'`,
    JSON.stringify(lineage(connection, turn)),
  );
  return new Set(rows.map(({ name }) => name));
}

function freeAgent(connection: Connection, { instance, agent }: Pick<Claim, "instance" | "agent">): void {
  connection.run(
    "UPDATE agents SET turn = NULL, lease_node = NULL, lease_until = NULL, status = NULL WHERE workflow = ? AND name = ?",
    instance,
    agent,
  );
}

function endTurn(connection: Connection, claim: Claim, turn: TurnRow, outcome: Outcome): void {
  const { status } = outcome;
  const text = outcome.status === "succeeded" ? outcome.text : null;
  const reason = outcome.status === "failed" ? outcome.failure.message : null;
  const usage = outcome.usage ?? null;
  const end = { status, reason, text: text && text.slice(0, eventTextChars), usage };
  const seq = emitEnd(connection, claim, turn, end);
  connection.run(
    "UPDATE turns SET state = ?, token_hash = NULL, text = ?, reason = ?, ended_at = ?, ended_seq = ? WHERE id = ?",
    status,
    text,
    reason,
    connection.now(),
    seq,
    claim.turn,
  );
}

/** Whether the agent has more work, now or later. */
function isOwed(connection: Connection, { instance, agent }: Claim): boolean {
  return (
    connection.get(
      "SELECT 1 FROM deliveries WHERE workflow = ? AND agent = ? AND state = 'pending' AND state <> 'done' LIMIT 1",
      instance,
      agent,
    ) !== null
  );
}

function emitEnd(
  connection: Connection,
  claim: Attempted,
  turn: TurnRow,
  end: { status: "succeeded" | "failed" | "released"; reason: string | null; text: string | null; usage: Usage | null },
): number {
  const duration = Math.max(0, connection.now() - turn.attempt_started_at);
  return emit(connection, claim.instance, claim.run, {
    type: "turn-end",
    agent: claim.agent,
    turn: claim.turn,
    data: { attempt: turn.attempt, ...end, duration },
  });
}

function addUsage(connection: Connection, turn: string, usage: Usage | undefined): void {
  if (!usage) return;
  connection.run(
    `UPDATE turns SET used = 1, input_tokens = input_tokens + ?, output_tokens = output_tokens + ?,
       cost = CASE WHEN ?3 IS NULL THEN cost ELSE COALESCE(cost, 0) + ?3 END WHERE id = ?4`,
    usage.inputTokens,
    usage.outputTokens,
    usage.cost ?? null,
    turn,
  );
}
