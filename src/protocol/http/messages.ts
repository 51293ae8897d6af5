/** Routes of messages: send one as a person, and find out what happened to one. */
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
  /** More recipients, in addition to those mentioned in the text. */
  to: z.array(z.string()).max(namesPerMessage).default([]),
  private: z.boolean().default(false),
  inReplyTo: z.string().optional(),
  /** The sender waits for the reply, so each recipient handles this message in a separate turn. */
  wait: z.boolean().default(false),
  env: Environment.optional(),
});
export type SendRequestInput = z.input<typeof SendRequest>;

export const SendResponse = z.object({
  message: Message,
  /** The target of the instance that the message went to. */
  target: z.string(),
  project: z.string(),
  unknown: z.array(UnknownMention),
  /** Recipients that are stopped, or whose workflow is not running: their deliveries are parked. */
  parked: z.array(z.string()),
  cursor: z.number().int(),
});
export type SendResponse = z.infer<typeof SendResponse>;

/** `GET /messages/:id/why`: everything that happened to one message. */
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
      "Sends a message as a person. With the header `Idempotency-Key` it is sent once: repeating the key returns the first message.",
    headers: { "Idempotency-Key": "Repeating a key returns the first message instead of sending another." },
    body: { SendRequest },
    response: { SendResponse },
    status: 201,
  }),
  "GET /messages/:id/why": route({ summary: "Explains everything that happened to one message.", response: { Why } }),
};
