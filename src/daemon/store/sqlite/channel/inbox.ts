/** The inbox as a running turn sees it: checked, peeked at and acknowledged. */
import type { Delivery } from "../../../../protocol/delivery.ts";
import { batchSize } from "../../../../protocol/limits.ts";
import { votingEntry } from "../../../../protocol/turn.ts";
import type { Claim } from "../../data.ts";
import type { Connection } from "../connection.ts";
import { claimedBy, markDone, take } from "./deliveries.ts";
import { type DeliveryRow, deliveryColumns, toDelivery } from "../rows.ts";
import { checkClaim, turnRow } from "../turns/turns.ts";

/**
 * Hands what has arrived since to this turn, which from then on answers for it, and gives all it has not acked. A turn
 * that only votes takes on nothing but votes: the rest is work, and of a mock the next entry of its script.
 */
export function checkInbox(connection: Connection, claim: Claim): Delivery[] {
  checkClaim(connection, claim);
  const turn = turnRow(connection, claim.turn);
  const claimed = claimedBy(connection, claim.turn);
  if (turn.open) {
    const arrived = connection.all<{ message: string; hop: number }>(
      `SELECT d.message, m.hop FROM deliveries d JOIN messages m ON m.id = d.message
       WHERE d.workflow = ? AND d.agent = ? AND d.state = 'pending' AND d.state <> 'done' AND d.turn IS NULL AND d.asked = 0
         AND d.not_before <= ? AND (m.kind = 'proposal' OR ? <> ${votingEntry}) ORDER BY d.priority, d.seq LIMIT ?`,
      claim.instance,
      claim.agent,
      connection.now(),
      turn.entry,
      Math.max(0, batchSize - claimed.length),
    );
    for (const { message } of arrived) {
      take(connection, { id: claim.instance, run: claim.run }, claim.agent, claim.turn, message, connection.now());
    }
    if (arrived.length > 0) {
      const hop = Math.max(turn.hop, ...arrived.map((row) => row.hop));
      connection.run("UPDATE turns SET hop = ? WHERE id = ?", hop, claim.turn);
      return claimedBy(connection, claim.turn).filter(({ acked }) => !acked);
    }
  }
  return claimed.filter(({ acked }) => !acked);
}

/** What the agent holds or waits for it, without taking anything. */
export function peekInbox(connection: Connection, claim: Claim): Delivery[] {
  checkClaim(connection, claim);
  return connection
    .all<DeliveryRow>(
      `SELECT ${deliveryColumns} FROM deliveries d JOIN messages m ON m.id = d.message
       WHERE d.workflow = ? AND d.agent = ? AND d.state IN ('pending', 'claimed') AND d.state <> 'done' AND d.acked = 0
       ORDER BY d.priority, d.seq LIMIT ?`,
      claim.instance,
      claim.agent,
      batchSize,
    )
    .map(toDelivery);
}

/**
 * Settles what the agent says it has handled. The turn's last delivery, and what a person or a waiting sender asked,
 * is only hidden: the turn's end settles it, so that a crash before the answer loses nothing.
 */
export function ack(
  connection: Connection,
  claim: Claim,
  which: { messages: string[] } | { untilSeq: number },
): Delivery[] {
  checkClaim(connection, claim);
  const claimed = claimedBy(connection, claim.turn);
  const asked = askedMessages(connection, claim.turn);
  const chosen = claimed
    .filter(({ message }) =>
      "messages" in which ? which.messages.includes(message.id) : message.seq <= which.untilSeq,
    )
    .sort((a, b) => a.message.seq - b.message.seq);
  let open = claimed.length;
  for (const { message } of chosen) {
    if (open > 1 && message.sender !== "user" && !asked.has(message.id)) {
      open -= 1;
      markDone(connection, claim, message.id);
    } else {
      connection.run("UPDATE deliveries SET acked = 1 WHERE message = ? AND agent = ?", message.id, claim.agent);
    }
  }
  return chosen;
}

function askedMessages(connection: Connection, turn: string): Set<string> {
  const rows = connection.all<{ message: string }>(
    "SELECT message FROM deliveries WHERE turn = ? AND state = 'claimed' AND asked = 1",
    turn,
  );
  return new Set(rows.map(({ message }) => message));
}
