/** A delivery: one message owed to one agent. */
import { z } from "zod";
import { Message } from "./message.ts";

export const DeliveryState = z.enum(["pending", "claimed", "done", "dead", "parked"]);
export type DeliveryState = z.infer<typeof DeliveryState>;

/** Why a delivery is parked; it is released when the reason no longer applies. */
export const ParkReason = z.enum([
  "stopped",
  "not-running",
  "earlier-run",
  "limit",
  "loop",
  "credentials",
  "usage-limit",
]);
export type ParkReason = z.infer<typeof ParkReason>;

export const Delivery = z.object({
  agent: z.string(),
  message: Message,
  state: DeliveryState,
  attempts: z.number().int(),
  /** Not to be claimed before this time: a retry's backoff. */
  notBefore: z.number().nullable(),
  /** The agent has acknowledged it; it becomes `done` when the turn ends. */
  acked: z.boolean(),
  /** Why it is dead, parked or waiting for a retry. */
  reason: z.string().nullable(),
  parkReason: ParkReason.nullable(),
  turn: z.string().nullable(),
  updatedAt: z.number(),
});
export type Delivery = z.infer<typeof Delivery>;

export const InboxCounts = z.object({
  pending: z.number().int(),
  claimed: z.number().int(),
  dead: z.number().int(),
  parked: z.number().int(),
});
export type InboxCounts = z.infer<typeof InboxCounts>;
