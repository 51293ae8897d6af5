/** Conversations: the latest of each agent, written only by successful turns. */
import type { Claim } from "../../data.ts";
import type { Connection } from "../connection.ts";

export function readConversation(connection: Connection, instance: string, agent: string): string | null {
  const row = connection.get<{ content: string }>(
    "SELECT content FROM conversations WHERE workflow = ? AND agent = ?",
    instance,
    agent,
  );
  return row?.content ?? null;
}

export function writeConversation(
  connection: Connection,
  { instance, agent, turn }: Pick<Claim, "instance" | "agent" | "turn">,
  content: string,
): void {
  connection.run(
    `INSERT INTO conversations (workflow, agent, turn, content, updated_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (workflow, agent) DO UPDATE SET turn = excluded.turn, content = excluded.content, updated_at = excluded.updated_at`,
    instance,
    agent,
    turn,
    content,
    connection.now(),
  );
}

export function deleteConversation(connection: Connection, instance: string, agent: string): void {
  connection.run("DELETE FROM conversations WHERE workflow = ? AND agent = ?", instance, agent);
}
