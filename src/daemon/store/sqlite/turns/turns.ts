/** Turns: their claims, their origin, and what they did. */
import { AppError } from "../../../../protocol/error.ts";
import type { Message } from "../../../../protocol/message.ts";
import type { Turn } from "../../../../protocol/turn.ts";
import type { Claim } from "../../data.ts";
import type { Connection } from "../connection.ts";
import { type AgentRow, type MessageRow, type TurnRow, toMessage, toTurn } from "../rows.ts";

/** The fence: throws unless the claim is the current one of its agent. Every write of a turn starts with it. */
export function checkClaim(connection: Connection, claim: Claim): AgentRow {
  const agent = connection.get<AgentRow>(
    "SELECT * FROM agents WHERE workflow = ? AND name = ?",
    claim.instance,
    claim.agent,
  );
  if (!agent || agent.fence !== claim.fence || agent.turn !== claim.turn || agent.lease_node !== claim.node) {
    throw new AppError("fenced", `the turn of ${claim.agent} has ended or its claim was revoked`);
  }
  return agent;
}

export function turnRow(connection: Connection, id: string): TurnRow {
  const row = connection.get<TurnRow>("SELECT * FROM turns WHERE id = ?", id);
  if (!row) throw new AppError("not-found", `there is no turn ${id}`);
  return row;
}

/** A turn and those it was split from, whose messages count as its own. */
export function lineage(connection: Connection, turn: string): string[] {
  return connection
    .all<{ id: string }>(
      `WITH RECURSIVE line (id, parent) AS (
         SELECT id, parent FROM turns WHERE id = ?
         UNION SELECT t.id, t.parent FROM turns t JOIN line ON t.id = line.parent
       ) SELECT id FROM line`,
      turn,
    )
    .map(({ id }) => id);
}

export function readTurn(connection: Connection, id: string): { turn: Turn; instance: string } | null {
  const row = connection.get<TurnRow>("SELECT * FROM turns WHERE id = ?", id);
  return row && { turn: toTurn(row), instance: row.workflow };
}

/** The turns that handled a message, oldest first. */
export function turnsOf(connection: Connection, message: string): Turn[] {
  return connection
    .all<TurnRow>(
      `SELECT * FROM turns WHERE id IN (SELECT turn FROM events WHERE message = ? AND type = 'delivery-claim')
       ORDER BY started_at, rowid LIMIT 100`,
      message,
    )
    .map(toTurn);
}

/** The latest turns, newest first; uses an index, so their number does not matter. */
export function listTurns(connection: Connection, instance: string, filter: { agent?: string; limit: number }): Turn[] {
  return connection
    .all<TurnRow>(
      `SELECT * FROM turns WHERE workflow = ?1 AND (?2 IS NULL OR agent = ?2 COLLATE NOCASE)
       ORDER BY run DESC, rowid DESC LIMIT ?3`,
      instance,
      filter.agent ?? null,
      filter.limit,
    )
    .map(toTurn);
}

/** The messages of a turn, and of the turns it was split from. */
export function turnMessages(connection: Connection, turn: string): Message[] {
  return connection
    .all<MessageRow>(
      "SELECT * FROM messages WHERE turn IN (SELECT value FROM json_each(?)) ORDER BY seq LIMIT 500",
      JSON.stringify(lineage(connection, turn)),
    )
    .map(toMessage);
}

/** What earlier attempts did, so that a retry does not repeat it. */
export function earlierWork(
  connection: Connection,
  claim: Claim,
): { messages: Message[]; calls: { tool: string; args: string }[] } {
  const line = lineage(connection, claim.turn);
  if (claim.attempt === 1 && line.length === 1) return { messages: [], calls: [] };
  const messages = connection.all<MessageRow>(
    "SELECT * FROM messages WHERE turn IN (SELECT value FROM json_each(?)) AND fence < ? ORDER BY seq LIMIT 50",
    JSON.stringify(line),
    claim.fence,
  );
  const calls = connection.all<{ tool: string; args: string }>(
    `SELECT data ->> 'tool' AS tool, data ->> 'args' AS args FROM events WHERE type = 'tool-call'
       AND turn IN (SELECT value FROM json_each(?1))
       AND seq < (SELECT MAX(seq) FROM events WHERE turn = ?2 AND type = 'turn-start') ORDER BY seq LIMIT 50`,
    JSON.stringify(line),
    claim.turn,
  );
  return { messages: messages.map(toMessage), calls };
}
