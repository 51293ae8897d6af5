/** Messages from people, and the story of any message. */
import { z } from "zod";
import { Delivery } from "../delivery.ts";
import { Event } from "../event.ts";
import { namesPerMessage } from "../limits.ts";
import { Message, UnknownMention } from "../message.ts";
import { Turn } from "../turn.ts";
import { Environment, OriginBody } from "./origin.ts";
import { route } from "./route.ts";

/** `POST /messages`. */
export const SendRequest = OriginBody.extend({
  target: z.string(),
  content: z.string(),
  /** Further agents that the message is for, without naming them in its text. */
  to: z.array(z.string()).max(namesPerMessage).default([]),
  private: z.boolean().default(false),
  inReplyTo: z.string().optional(),
  /** The sender waits for the answer, so each recipient handles this message alone. */
  wait: z.boolean().default(false),
  env: Environment.optional(),
});
export type SendRequestInput = z.input<typeof SendRequest>;

export const SendAnswer = z.object({
  message: Message,
  /** The instance it went to, as people write it. */
  target: z.string(),
  project: z.string(),
  unknown: z.array(UnknownMention),
  /** Agents that are stopped, or whose workflow does not run: it waits there, parked. */
  parked: z.array(z.string()),
  cursor: z.number().int(),
});
export type SendAnswer = z.infer<typeof SendAnswer>;

/** `GET /messages/:id/why`: all that happened to one message. */
export const Why = z.object({
  message: Message,
  target: z.string(),
  project: z.string(),
  deliveries: z.array(Delivery),
  turns: z.array(Turn),
  events: z.array(Event),
});
export type Why = z.infer<typeof Why>;

export const messageRoutes = {
  "POST /messages": route({
    summary:
      "Sends a person's words. With the header `Idempotency-Key` it acts once: the same key gives the first message back.",
    headers: { "Idempotency-Key": "The same key gives the first message back." },
    body: { SendRequest },
    answer: { SendAnswer },
    status: 201,
  }),
  "GET /messages/:id/why": route({ summary: "All that happened to one message.", answer: { Why } }),
};
