/** Opens proposals, counts votes and closes them, each with its messages and effects in one transaction. */
import { AppError } from "../../../../protocol/error.ts";
import { activeProposals } from "../../../../protocol/limits.ts";
import { votesOf } from "../../../../protocol/proposal.ts";
import type {
  Appended,
  CastVote,
  Closing,
  Draft,
  OpenProposal,
  Participant,
  ProposalChange,
  ProposalFilter,
  StoredProposal,
} from "../../data.ts";
import type { Connection } from "../connection.ts";
import { emit } from "../events.ts";
import { type Author, append, write } from "../channel/messages.ts";
import { checkOpen } from "./proposal-limits.ts";
import { type ProposalRow, proposalRow, toProposal } from "./proposal-rows.ts";
import type { WorkflowRow } from "../rows.ts";
import { checkClaim, lineage, turnRow } from "../turns/turns.ts";
import { isAtRest } from "../instances/quiescent.ts";
import { workflowRow } from "../instances/workflows.ts";

export function openProposal(
  connection: Connection,
  creator: Participant,
  { terms, content, deadline }: OpenProposal,
): ProposalChange & { parked: string[]; repeated: boolean } {
  const author = authorOf(connection, creator);
  const owner = workflowRow(connection, creator.instance);
  const repeated = findRepeat(connection, creator, JSON.stringify(terms));
  if (repeated) return { proposal: repeated, wake: [], parked: [], repeated: true };
  checkOpen(connection, owner, creator);
  const sender = nameOf(creator);
  const draft: Draft = {
    sender,
    content,
    kind: "proposal",
    mentions: [],
    all: false,
    to: [],
    private: false,
    urgent: false,
  };
  const asked = write(connection, owner, draft, terms.voters, [], author);
  const { id, seq, createdAt } = asked.message;
  connection.run(
    `INSERT INTO proposals (id, workflow, run, seq, creator, question, status, created_at, deadline, turn, fence)
     VALUES (?, ?, ?, ?, ?, ?, 'active', ?, ?, ?, ?)`,
    id,
    owner.id,
    owner.run,
    seq,
    sender,
    JSON.stringify(terms),
    createdAt,
    deadline,
    author?.turn ?? null,
    author?.fence ?? null,
  );
  const { type: proposal, title, options, voters } = terms;
  emit(connection, owner.id, owner.run, {
    type: "proposal-open",
    message: id,
    turn: author?.turn ?? null,
    data: { proposal, title, creator: sender, options: options.map((option) => option.id), voters, deadline },
  });
  return { proposal: readOne(connection, id), wake: asked.wake, parked: asked.parked, repeated: false };
}

export function castVote(
  connection: Connection,
  voter: Participant,
  { proposal: id, choice, reason, revision, closing }: CastVote,
): ProposalChange | null {
  const author = authorOf(connection, voter);
  const row = proposalRow(connection, id);
  if (!row || row.workflow !== voter.instance || row.status !== "active" || row.revision !== revision) return null;
  const name = nameOf(voter);
  const { changes: changed } = connection.run("DELETE FROM votes WHERE proposal = ? AND voter = ?", id, name);
  connection.run(
    "INSERT INTO votes (proposal, voter, choice, reason, turn, at) VALUES (?, ?, ?, ?, ?, ?)",
    id,
    name,
    choice,
    reason,
    author?.turn ?? null,
    connection.now(),
  );
  connection.run("UPDATE proposals SET revision = revision + 1 WHERE id = ?", id);
  const { run } = workflowRow(connection, row.workflow);
  const data = { voter: name, choice, reason, changed: changed > 0 };
  emit(connection, row.workflow, run, { type: "proposal-vote", message: id, turn: author?.turn ?? null, data });
  markRequestsDone(connection, row, name, "voted");
  const wake = closing ? close(connection, row, closing, author) : [];
  return { proposal: readOne(connection, id), wake };
}

export function closeProposal(
  connection: Connection,
  by: Participant,
  { proposal: id, revision, closing }: { proposal: string; revision: number; closing: Closing },
): ProposalChange | null {
  const author = authorOf(connection, by);
  const row = proposalRow(connection, id);
  if (!row || row.workflow !== by.instance || row.status !== "active" || row.revision !== revision) return null;
  if (closing.atRest && !isAtRest(connection, row.workflow)) return null;
  const wake = close(connection, row, closing, author);
  return { proposal: readOne(connection, id), wake };
}

export function remindVoters(connection: Connection, instance: string, id: string, draft: Draft): Appended | null {
  const row = proposalRow(connection, id);
  if (!row || row.workflow !== instance || row.status !== "active" || row.reminder !== null) return null;
  const reminded = append(connection, instance, draft, { turn: null, fence: null, hop: row.hop });
  connection.run("UPDATE proposals SET reminder = ? WHERE id = ?", reminded.message.id, id);
  return reminded;
}

/** Cancels the open proposals of a run that is stopped, with only an event. */
export function cancelProposals(connection: Connection, owner: WorkflowRow, reason: string): void {
  for (const proposal of readProposals(connection, owner.id, { status: "active", limit: activeProposals })) {
    const row = proposalRow(connection, proposal.id);
    if (!row) continue;
    const result = { ...votesOf(proposal), winner: null, by: "cancelled" as const, tie: null };
    finish(connection, row, { status: "cancelled", isDecision: false, result });
    markRequestsDone(connection, row, null, reason);
  }
}

export function findProposal(connection: Connection, id: string): StoredProposal | null {
  const row = proposalRow(connection, id);
  return row && toProposal(connection, row);
}

export function readProposals(
  connection: Connection,
  instance: string,
  { status, after, until, limit }: ProposalFilter,
): StoredProposal[] {
  return connection
    .all<{ id: string }>(
      `SELECT id FROM proposals WHERE workflow = ?1 AND (?2 IS NULL OR status = ?2)
         AND (?3 IS NULL OR seq > ?3) AND (?4 IS NULL OR seq <= ?4) ORDER BY seq DESC LIMIT ?5`,
      instance,
      status ?? null,
      after ?? null,
      until ?? null,
      limit,
    )
    .map(({ id }) => readOne(connection, id));
}

export function readExpiring(connection: Connection, limit: number): StoredProposal[] {
  return connection
    .all<{ id: string }>(
      `SELECT p.id FROM proposals p JOIN workflows w ON w.id = p.workflow AND w.state = 'running'
       WHERE p.status = 'active' AND p.deadline IS NOT NULL ORDER BY p.deadline LIMIT ?`,
      limit,
    )
    .map(({ id }) => readOne(connection, id));
}

/** Includes decisions that could not be written before. */
export function readUnwritten(connection: Connection, instance: string | null, limit: number): StoredProposal[] {
  return connection
    .all<{ id: string }>(
      `SELECT id FROM proposals WHERE decision IN ('due', 'failed') AND (?1 IS NULL OR workflow = ?1) ORDER BY workflow, seq LIMIT ?2`,
      instance,
      limit,
    )
    .map(({ id }) => readOne(connection, id));
}

export function noteDecision(connection: Connection, instance: string, id: string, written: boolean): void {
  connection.run(
    "UPDATE proposals SET decision = ? WHERE id = ? AND workflow = ? AND decision IS NOT NULL",
    written ? "written" : "failed",
    id,
    instance,
  );
}

/** Writes status, event, the announcement and the effects of the result. */
function close(connection: Connection, row: ProposalRow, closing: Closing, author: Author | undefined): string[] {
  finish(connection, row, closing);
  markRequestsDone(connection, row, null, "the proposal is closed");
  const hop = Math.max(row.hop, (author?.hop ?? 1) - 1) + 1;
  const from = { turn: null, fence: null, hop };
  const { documentOwner, coordinator } = closing.elected ?? {};
  connection.run(
    `UPDATE workflows SET document_owner = COALESCE(?, document_owner), coordinator = COALESCE(?, coordinator) WHERE id = ?`,
    documentOwner ?? null,
    coordinator ?? null,
    row.workflow,
  );
  const drafts = [closing.announcement, ...(closing.send ? [closing.send] : [])];
  const wake = drafts.flatMap((draft) => append(connection, row.workflow, draft, from).wake);
  return [...new Set(wake)];
}

function finish(
  connection: Connection,
  row: ProposalRow,
  { status, result, isDecision, elected }: Pick<Closing, "status" | "result" | "isDecision" | "elected">,
): void {
  const closed = { ...result, at: connection.now() };
  connection.run(
    "UPDATE proposals SET status = ?, result = ?, decision = ?, revision = revision + 1 WHERE id = ?",
    status,
    JSON.stringify(closed),
    isDecision ? "due" : null,
    row.id,
  );
  const { title } = toProposal(connection, row);
  const role = elected?.documentOwner ? "document-owner" : elected?.coordinator ? "coordinator" : null;
  const { run } = workflowRow(connection, row.workflow);
  emit(connection, row.workflow, run, {
    type: "proposal-close",
    message: row.id,
    data: { ...closed, title, status, role },
  });
}

/** Marks requests to vote as done that no turn has claimed yet: they are no longer needed. */
function markRequestsDone(connection: Connection, row: ProposalRow, agent: string | null, reason: string): void {
  // The redundant condition makes SQLite use the index of open deliveries.
  const open = connection.all<{ message: string; agent: string; turn: string | null }>(
    `SELECT message, agent, turn FROM deliveries WHERE message IN (?1, ?2) AND state IN ('pending', 'parked') AND state <> 'done'
       AND (?3 IS NULL OR agent = ?3)`,
    row.id,
    row.reminder,
    agent,
  );
  const { run } = workflowRow(connection, row.workflow);
  for (const delivery of open) {
    connection.run(
      "UPDATE deliveries SET state = 'done', reason = ?, park_kind = NULL, updated_at = ? WHERE message = ? AND agent = ?",
      reason,
      connection.now(),
      delivery.message,
      delivery.agent,
    );
    const { message, agent: name, turn } = delivery;
    const data = { discarded: true, reason };
    emit(connection, row.workflow, run, { type: "delivery-done", agent: name, turn, message, data });
  }
}

/** The identical proposal of an earlier attempt that was not returned to this attempt yet. */
function findRepeat(connection: Connection, creator: Participant, terms: string): StoredProposal | null {
  if (!("turn" in creator)) return null;
  const turns = lineage(connection, creator.turn);
  if (creator.attempt === 1 && turns.length === 1) return null;
  const row = connection.get<{ id: string }>(
    `SELECT id FROM proposals WHERE workflow = ?1 AND turn IN (SELECT value FROM json_each(?2)) AND fence < ?3
       AND (echoed_fence IS NULL OR echoed_fence < ?3) AND question = ?4 ORDER BY seq LIMIT 1`,
    creator.instance,
    JSON.stringify(turns),
    creator.fence,
    terms,
  );
  if (!row) return null;
  connection.run("UPDATE proposals SET echoed_fence = ? WHERE id = ?", creator.fence, row.id);
  return readOne(connection, row.id);
}

/** Checks the fence of a turn. */
function authorOf(connection: Connection, participant: Participant): Author | undefined {
  if (!("turn" in participant)) return undefined;
  checkClaim(connection, participant);
  const { turn, fence } = participant;
  return { turn, fence, hop: turnRow(connection, turn).hop + 1 };
}

function nameOf(participant: Participant): string {
  return "turn" in participant ? participant.agent : participant.name;
}

function readOne(connection: Connection, id: string): StoredProposal {
  const found = findProposal(connection, id);
  if (!found) throw new AppError("not-found", `there is no proposal ${id}`);
  return found;
}
