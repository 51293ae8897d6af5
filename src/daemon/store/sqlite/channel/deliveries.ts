/** Deliveries: read in inbox order, claimed by a turn, marked done once. */
import type { Delivery, DeliveryState } from "../../../../protocol/delivery.ts";
import type { Claim } from "../../data.ts";
import type { Connection } from "../connection.ts";
import { emit } from "../events.ts";
import { type DeliveryRow, type WorkflowRow, deliveryColumns, toDelivery } from "../rows.ts";

export function readDeliveries(
  connection: Connection,
  instance: string,
  filter: { agent?: string; states?: DeliveryState[]; message?: string; turn?: string; limit: number },
): Delivery[] {
  const conditions = ["d.workflow = $instance"];
  if (filter.agent !== undefined) conditions.push("d.agent = $agent");
  if (filter.message !== undefined) conditions.push("d.message = $message");
  if (filter.turn !== undefined) conditions.push("d.turn = $turn");
  if (filter.states) conditions.push("d.state IN (SELECT value FROM json_each($states))");
  // The redundant condition makes SQLite use the index of open deliveries.
  if (filter.states && !filter.states.includes("done")) conditions.push("d.state <> 'done'");
  return connection
    .all<DeliveryRow>(
      `SELECT ${deliveryColumns} FROM deliveries d JOIN messages m ON m.id = d.message
       WHERE ${conditions.join(" AND ")} ORDER BY d.priority, d.seq LIMIT $limit`,
      {
        instance,
        limit: filter.limit,
        ...(filter.agent !== undefined && { agent: filter.agent }),
        ...(filter.message !== undefined && { message: filter.message }),
        ...(filter.turn !== undefined && { turn: filter.turn }),
        ...(filter.states && { states: JSON.stringify(filter.states) }),
      },
    )
    .map(toDelivery);
}

/** The deliveries a turn has claimed and that are not done, in inbox order. */
export function claimedBy(connection: Connection, turn: string): Delivery[] {
  return connection
    .all<DeliveryRow>(
      `SELECT ${deliveryColumns} FROM deliveries d JOIN messages m ON m.id = d.message
       WHERE d.turn = ? AND d.state = 'claimed' ORDER BY d.priority, d.seq`,
      turn,
    )
    .map(toDelivery);
}

/** Marks one delivery as claimed by a turn, with an event. */
export function take(
  connection: Connection,
  owner: Pick<WorkflowRow, "id" | "run">,
  agent: string,
  turn: string,
  message: string,
  now: number,
): void {
  connection.run(
    `UPDATE deliveries SET state = 'claimed', turn = ?, run = ?, acked = 0, not_before = 0, reason = NULL, park_kind = NULL, updated_at = ?
     WHERE message = ? AND agent = ?`,
    turn,
    owner.run,
    now,
    message,
    agent,
  );
  emit(connection, owner.id, owner.run, { type: "delivery-claim", agent, turn, message, data: {} });
}

/** `claimed` becomes `done`, once. */
export function markDone(
  connection: Connection,
  claim: Pick<Claim, "instance" | "run" | "agent" | "turn">,
  message: string,
) {
  connection.run(
    "UPDATE deliveries SET state = 'done', acked = 1, updated_at = ? WHERE message = ? AND agent = ? AND state = 'claimed'",
    connection.now(),
    message,
    claim.agent,
  );
  emit(connection, claim.instance, claim.run, {
    type: "delivery-done",
    agent: claim.agent,
    turn: claim.turn,
    message,
    data: { discarded: false },
  });
}
