/** The inbox of a running turn: check, peek and acknowledge. */
import type { Delivery } from "../../../../protocol/delivery.ts";
import { batchSize } from "../../../../protocol/limits.ts";
import { votingEntry } from "../../../../protocol/turn.ts";
import type { Claim } from "../../data.ts";
import type { Connection } from "../connection.ts";
import { claimedBy, markDone, take } from "./deliveries.ts";
import { type DeliveryRow, deliveryColumns, toDelivery } from "../rows.ts";
import { checkClaim, turnRow } from "../turns/turns.ts";

/**
 * Claims new deliveries for this turn, and returns all that it has not acknowledged. A turn that only votes claims only
 * votes: the rest is work, which for a mock is the next entry of its script.
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

/** What the agent has claimed or could claim, without claiming anything. */
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
 * Marks deliveries as done that the agent has handled. The last delivery of the turn, and those from a person or a waiting
 * sender, are only hidden: the end of the turn marks them as done, so that a crash before the answer loses nothing.
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
