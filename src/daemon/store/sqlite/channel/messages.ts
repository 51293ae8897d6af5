/** Messages: written together with their deliveries, read by those who can see them. */
import { nearest } from "../../../../text/suggest.ts";
import type { Message, UnknownMention } from "../../../../protocol/message.ts";
import { AppError } from "../../../../protocol/error.ts";
import { longMessageChars } from "../../../../protocol/limits.ts";
import type { Appended, Claim, Draft, Viewer } from "../../data.ts";
import { agentNames, findAgentName } from "../instances/agents.ts";
import type { Connection } from "../connection.ts";
import { emit } from "../events.ts";
import { keepResource } from "./resources.ts";
import { checkClaim, lineage, turnRow } from "../turns/turns.ts";
import { type MessageRow, type WorkflowRow, toMessage } from "../rows.ts";
import { workflowRow } from "../instances/workflows.ts";

/** How many unknown names get a suggestion: each is compared with every agent's name. */
const suggestionsGiven = 10;

/** The turn and attempt that writes, if any, and its distance from a person's message. */
export type Author = { turn: string | null; fence: number | null; hop: number };

export function append(connection: Connection, instance: string, draft: Draft, author?: Author): Appended {
  const owner = workflowRow(connection, instance);
  const earlier = draft.idempotencyKey && findByKey(connection, instance, draft.idempotencyKey);
  if (earlier && earlier.message.content !== draft.content) {
    throw new AppError("conflict", "this Idempotency-Key was used for another message", {
      hint: "use a unique key for each message",
    });
  }
  if (earlier) return { ...earlier, unknown: [], wake: [], parked: [] };
  checkReply(connection, instance, draft);
  const { agents, unknown, user } = resolve(connection, instance, draft);
  return write(connection, owner, draft, user ? ["user", ...agents] : agents, unknown, author);
}

export function appendFrom(connection: Connection, claim: Claim, draft: Draft): Appended & { repeated: boolean } {
  checkClaim(connection, claim);
  checkReply(connection, claim.instance, draft);
  const { hop, parent } = turnRow(connection, claim.turn);
  const author = { turn: claim.turn, fence: claim.fence, hop: hop + 1 };
  const { agents, unknown, user } = resolve(connection, claim.instance, draft);
  const recipients = user ? ["user", ...agents] : agents;
  const isFirst = claim.attempt === 1 && parent === null;
  const repeated = isFirst ? null : findRepeat(connection, claim, draft, recipients);
  if (repeated) return { ...repeated, unknown, wake: [], parked: [], repeated: true };
  const owner = workflowRow(connection, claim.instance);
  return { ...write(connection, owner, draft, recipients, unknown, author), repeated: false };
}

function checkReply(connection: Connection, instance: string, { inReplyTo }: Draft): void {
  if (inReplyTo === undefined || findMessage(connection, inReplyTo)?.instance === instance) return;
  throw new AppError(
    "not-found",
    `there is no message '${inReplyTo.slice(0, 40).toWellFormed()}' to reply to in this channel`,
  );
}

/** Resolves the names of a draft. The sender is never a recipient. */
export function resolve(
  connection: Connection,
  instance: string,
  draft: Draft,
): { agents: string[]; unknown: UnknownMention[]; user: boolean } {
  const agents = new Set<string>();
  const unknown = new Map<string, string>();
  let user = false;
  let all = draft.all;
  for (const name of [...draft.mentions, ...draft.to]) {
    const folded = name.toLowerCase();
    if (folded === "user") user = draft.sender !== "user";
    else if (folded === "all") all = true;
    else {
      const agent = findAgentName(connection, instance, name);
      if (agent) agents.add(agent);
      else unknown.set(folded, name);
    }
  }
  const names = all || draft.soleAgent || unknown.size > 0 ? agentNames(connection, instance) : [];
  if (all) for (const name of names) agents.add(name);
  if (draft.soleAgent && agents.size === 0) {
    const recipient = names.length === 1 ? names[0] : findCoordinator(connection, instance);
    if (recipient) agents.add(recipient);
  }
  const own = findAgentName(connection, instance, draft.sender);
  if (own) agents.delete(own);
  return {
    agents: [...agents],
    unknown: [...unknown.values()].map((name, index) => ({
      name,
      nearest: index < suggestionsGiven ? nearest(name, names) : [],
    })),
    user,
  };
}

/** The elected coordinator, if that agent still exists. */
function findCoordinator(connection: Connection, instance: string): string | null {
  const row = connection.get<{ name: string }>(
    "SELECT a.name FROM workflows w JOIN agents a ON a.workflow = w.id AND a.name = w.coordinator WHERE w.id = ?",
    instance,
  );
  return row?.name ?? null;
}

/** Writes the message, its deliveries and its event. */
export function write(
  connection: Connection,
  owner: WorkflowRow,
  draft: Draft,
  recipients: string[],
  unknown: UnknownMention[],
  author?: Author,
): Appended {
  const now = connection.now();
  const agents = recipients.filter((name) => name !== "user");
  if (!draft.content.isWellFormed()) {
    throw new AppError("usage", "the message contains a lone surrogate (half a character)", {
      hint: "send valid Unicode",
    });
  }
  if (draft.private && draft.kind === "message" && recipients.length === 0) {
    throw new AppError("usage", "a private message needs recipients", { hint: describeUnknown(unknown) });
  }
  const row: MessageRow = {
    id: connection.newId("m"),
    workflow: owner.id,
    seq: owner.next_seq,
    run: owner.run,
    sender: draft.sender,
    recipients: JSON.stringify(recipients),
    content: draft.content,
    kind: draft.kind,
    priority: agents.length > 1 || draft.urgent ? 0 : 1,
    private: draft.private ? 1 : 0,
    in_reply_to: draft.inReplyTo ?? null,
    hop: author?.hop ?? 0,
    turn: author?.turn ?? null,
    created_at: now,
    resource: keepWhole(connection, owner.id, draft),
    value_ranges: draft.values && draft.values.length > 0 ? JSON.stringify(draft.values) : null,
  };
  owner.next_seq += 1;
  connection.run("UPDATE workflows SET next_seq = ? WHERE id = ?", owner.next_seq, owner.id);
  connection.run(
    `INSERT INTO messages (id, workflow, seq, run, sender, recipients, content, kind, priority, private, in_reply_to, hop,
       turn, fence, idempotency_key, created_at, resource, value_ranges)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.workflow,
    row.seq,
    row.run,
    row.sender,
    row.recipients,
    row.content,
    row.kind,
    row.priority,
    row.private,
    row.in_reply_to,
    row.hop,
    row.turn,
    author?.fence ?? null,
    draft.idempotencyKey ?? null,
    row.created_at,
    row.resource,
    row.value_ranges,
  );
  const cursor = emit(connection, owner.id, owner.run, { type: "message", message: row.id, turn: row.turn, data: {} });
  const parked = owe(connection, owner, row, agents, draft.asked === true);
  return {
    message: toMessage(row),
    unknown,
    wake: agents.filter((agent) => !parked.includes(agent)),
    parked,
    cursor,
  };
}

/** A long message has a resource with the full text, so that agents can get an excerpt. */
function keepWhole(connection: Connection, instance: string, { content, whole = content }: Draft): string | null {
  return whole.length > longMessageChars ? keepResource(connection, instance, whole).id : null;
}

function describeUnknown([first]: UnknownMention[]): string {
  if (!first) return "name them in `to`";
  const near = first.nearest.map((name) => `@${name}`).join(" or ");
  return `no agent named @${first.name}${near && `: did you mean ${near}?`}`;
}

/** A system message; it wakes no agent. */
export function systemDraft(content: string): Draft {
  return { sender: "system", content, kind: "system", mentions: [], all: false, to: [], private: false, urgent: false };
}

/** Creates one delivery per agent; returns the agents that cannot run now, whose deliveries are parked. */
function owe(connection: Connection, owner: WorkflowRow, row: MessageRow, agents: string[], asked: boolean): string[] {
  const parked: string[] = [];
  for (const agent of agents) {
    const stopped = connection.get<{ stopped: number }>(
      "SELECT stopped FROM agents WHERE workflow = ? AND name = ?",
      owner.id,
      agent,
    );
    const kind = stopped?.stopped ? "stopped" : owner.state === "running" ? null : "not-running";
    const reason = kind === "stopped" ? `${agent} is stopped` : kind && `${owner.name}:${owner.tag} is not running`;
    connection.run(
      `INSERT INTO deliveries (message, agent, workflow, seq, run, priority, asked, state, reason, park_kind, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      row.id,
      agent,
      owner.id,
      row.seq,
      row.run,
      row.priority,
      asked ? 1 : 0,
      kind ? "parked" : "pending",
      reason,
      kind,
      row.created_at,
    );
    if (!kind || !reason) continue;
    parked.push(agent);
    emit(connection, owner.id, owner.run, { type: "work-parked", agent, message: row.id, data: { kind, reason } });
  }
  return parked;
}

function findByKey(connection: Connection, instance: string, key: string): { message: Message; cursor: number } | null {
  const row = connection.get<MessageRow>(
    "SELECT * FROM messages WHERE workflow = ? AND idempotency_key = ?",
    instance,
    key,
  );
  return row && { message: toMessage(row), cursor: eventOf(connection, row.id) };
}

/** The identical message of an earlier attempt that was not returned to this attempt yet. */
function findRepeat(
  connection: Connection,
  claim: Claim,
  draft: Draft,
  recipients: string[],
): { message: Message; cursor: number } | null {
  const row = connection.get<MessageRow>(
    `SELECT * FROM messages WHERE turn IN (SELECT value FROM json_each(?1)) AND fence < ?2
       AND (echoed_fence IS NULL OR echoed_fence < ?2) AND content = ?3 AND recipients = ?4 AND private = ?5
       AND in_reply_to IS ?6 ORDER BY seq LIMIT 1`,
    JSON.stringify(lineage(connection, claim.turn)),
    claim.fence,
    draft.content,
    JSON.stringify(recipients),
    draft.private ? 1 : 0,
    draft.inReplyTo ?? null,
  );
  if (!row) return null;
  connection.run("UPDATE messages SET echoed_fence = ? WHERE id = ?", claim.fence, row.id);
  return { message: toMessage(row), cursor: eventOf(connection, row.id) };
}

function eventOf(connection: Connection, message: string): number {
  return (
    connection.get<{ seq: number }>("SELECT seq FROM events WHERE message = ? AND type = 'message'", message)?.seq ?? 0
  );
}

export function readMessages(
  connection: Connection,
  instance: string,
  viewer: Viewer,
  { after = 0, limit, newest = false }: { after?: number; limit: number; newest?: boolean },
): Message[] {
  const visible =
    viewer === "client"
      ? ""
      : "AND (private = 0 OR sender = ?4 COLLATE NOCASE OR EXISTS (SELECT 1 FROM json_each(recipients) WHERE value = ?4 COLLATE NOCASE))";
  const rows = connection.all<MessageRow>(
    `SELECT * FROM messages WHERE workflow = ?1 AND seq > ?2 ${visible} ORDER BY seq ${newest ? "DESC" : "ASC"} LIMIT ?3`,
    instance,
    after,
    limit,
    ...(viewer === "client" ? [] : [viewer.agent]),
  );
  if (newest) rows.reverse();
  return rows.map(toMessage);
}

export function findMessage(connection: Connection, id: string): { message: Message; instance: string } | null {
  const row = connection.get<MessageRow>("SELECT * FROM messages WHERE id = ?", id);
  return row && { message: toMessage(row), instance: row.workflow };
}
