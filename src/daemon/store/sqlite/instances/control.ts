/** Finds, frees, parks and discards open deliveries; stops and removes agents. */
import type { Delivery, DeliveryState, ParkReason } from "../../../../protocol/delivery.ts";
import { AppError } from "../../../../protocol/error.ts";
import { deleteAgent } from "./agents.ts";
import { formatTarget } from "../../../../protocol/target.ts";
import type { DeliveryFilter } from "../../data.ts";
import type { Connection } from "../connection.ts";
import { deleteConversation } from "../turns/conversations.ts";
import { readDeliveries } from "../channel/deliveries.ts";
import { emit } from "../events.ts";
import { park } from "../turns/failure.ts";
import { giveBack } from "../turns/finish.ts";
import type { TurnRow, WorkflowRow } from "../rows.ts";
import { workflowRow } from "./workflows.ts";

type Changed = { changed: Delivery[]; wake: string[] };

export type WaitingFilter = DeliveryFilter & { kinds?: ParkReason[] };

/** Dead or parked deliveries that can be worked on: their agent exists and is not stopped. Held ones are pending. */
export function findWaiting(
  connection: Connection,
  instance: string,
  state: "dead" | "parked",
  { agent, messages, kinds }: WaitingFilter,
): Delivery[] {
  const able = connection.all<{ name: string }>("SELECT name FROM agents WHERE workflow = ? AND stopped = 0", instance);
  const names = new Set(able.map(({ name }) => name));
  const states: DeliveryState[] = state === "parked" ? ["parked", "pending"] : [state];
  return readDeliveries(connection, instance, { agent, states, limit: 100_000 }).filter(
    ({ message, parkReason, agent: owner, state: own }) =>
      names.has(owner) &&
      (own === state || parkReason !== null) &&
      (!messages || messages.includes(message.id)) &&
      (!kinds || (parkReason !== null && kinds.includes(parkReason))),
  );
}

/** Makes deliveries pending again. Attempts are reset, except after a stop. */
export function free(
  connection: Connection,
  owner: WorkflowRow,
  deliveries: Delivery[],
  by: "redrive" | "resume" | "start",
): Changed {
  for (const { agent, message } of deliveries) {
    connection.run(
      `UPDATE deliveries SET state = 'pending', run = ?1, not_before = 0, reason = NULL, park_kind = NULL, updated_at = ?2,
         attempts = CASE WHEN ?3 THEN attempts ELSE 0 END, crashes = CASE WHEN ?3 THEN crashes ELSE 0 END
       WHERE message = ?4 AND agent = ?5`,
      owner.run,
      connection.now(),
      by === "start" ? 1 : 0,
      message.id,
      agent,
    );
    emit(connection, owner.id, owner.run, { type: "work-resumed", agent, message: message.id, data: { by } });
  }
  const changed = deliveries.flatMap(({ agent, message }) =>
    readDeliveries(connection, owner.id, { agent, message: message.id, limit: 1 }),
  );
  return { changed, wake: [...new Set(changed.map(({ agent }) => agent))] };
}

/** Marks deliveries as `done` without handling them, unless a turn is working on them. */
export function discard(
  connection: Connection,
  instance: string,
  filter: DeliveryFilter & { messages: string[] },
): Delivery[] {
  const owner = workflowRow(connection, instance);
  const open = [...new Set(filter.messages)].flatMap((message) =>
    readDeliveries(connection, instance, { message, agent: filter.agent, limit: 1_000 }),
  );
  const claimed = open.find(({ state }) => state === "claimed");
  if (claimed) {
    const target = formatTarget({ agent: claimed.agent, workflow: owner.name, tag: owner.tag });
    throw new AppError("conflict", `${claimed.agent} is working on message #${claimed.message.seq} right now`, {
      hint: "discard again once it has stopped",
      actions: [{ do: "stop", target }],
    });
  }
  const changed = open.filter(({ state }) => state !== "done");
  for (const { agent, message, turn } of changed) {
    connection.run(
      "UPDATE deliveries SET state = 'done', reason = 'discarded', park_kind = NULL, updated_at = ? WHERE message = ? AND agent = ?",
      connection.now(),
      message.id,
      agent,
    );
    const data = { discarded: true };
    emit(connection, instance, owner.run, { type: "delivery-done", agent, turn, message: message.id, data });
  }
  return changed;
}

export function setStopped(
  connection: Connection,
  instance: string,
  agent: string,
  stopped: boolean,
): { wake: string[] } {
  const owner = workflowRow(connection, instance);
  connection.run("UPDATE agents SET stopped = ? WHERE workflow = ? AND name = ?", stopped ? 1 : 0, instance, agent);
  if (stopped) {
    parkOpen(connection, owner, agent, { kind: "stopped", reason: `${agent} was stopped` });
    return { wake: [] };
  }
  if (owner.state !== "running") return { wake: [] };
  const filter: WaitingFilter = { agent, kinds: ["stopped"] };
  return { wake: free(connection, owner, findWaiting(connection, instance, "parked", filter), "start").wake };
}

/** Removes an agent; its open deliveries are discarded. */
export function removeAgent(connection: Connection, instance: string, agent: string): void {
  setStopped(connection, instance, agent, true);
  const owed = readDeliveries(connection, instance, { agent, states: ["dead", "parked"], limit: 100_000 });
  discard(connection, instance, { agent, messages: owed.map(({ message }) => message.id) });
  deleteConversation(connection, instance, agent);
  deleteAgent(connection, instance, agent);
}

/** Parks everything pending or claimed, of one agent or of all; running attempts lose their claim at once. */
export function parkOpen(
  connection: Connection,
  owner: WorkflowRow,
  agent: string | null,
  why: { kind: ParkReason; reason: string },
): void {
  const running = connection.all<TurnRow>(
    "SELECT * FROM turns WHERE workflow = ?1 AND state = 'running' AND (?2 IS NULL OR agent = ?2 COLLATE NOCASE) ORDER BY rowid",
    owner.id,
    agent,
  );
  for (const turn of running) {
    giveBack(connection, { instance: owner.id, run: owner.run, agent: turn.agent, turn: turn.id }, turn, why.reason);
  }
  const open = connection.all<{ message: string; agent: string }>(
    "SELECT message, agent FROM deliveries WHERE workflow = ?1 AND state = 'pending' AND state <> 'done' AND (?2 IS NULL OR agent = ?2) ORDER BY seq",
    owner.id,
    agent,
  );
  for (const delivery of open) {
    park(connection, { instance: owner.id, run: owner.run, agent: delivery.agent }, delivery.message, why);
  }
}
