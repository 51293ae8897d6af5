/** A message: one entry of a channel. Its recipients are fixed when it is written. */
import { z } from "zod";

export const MessageKind = z.enum(["message", "system", "proposal", "log"]);
export type MessageKind = z.infer<typeof MessageKind>;

export const Priority = z.enum(["high", "normal"]);
export type Priority = z.infer<typeof Priority>;

export const Message = z.object({
  id: z.string(),
  /** 1, 2, 3… without gaps within its instance. */
  seq: z.number().int(),
  run: z.number().int(),
  sender: z.string(),
  /** Agents, and `user`, who sees the message but gets no delivery. */
  recipients: z.array(z.string()),
  content: z.string(),
  kind: MessageKind,
  priority: Priority,
  private: z.boolean(),
  inReplyTo: z.string().nullable(),
  hop: z.number().int(),
  turn: z.string().nullable(),
  createdAt: z.number(),
  /** The resource with the full text of a long message. */
  resource: z.string().optional(),
  /** The ranges of the content that were interpolated: data, not text of the author. */
  values: z.array(z.tuple([z.number().int(), z.number().int()])).optional(),
});
export type Message = z.infer<typeof Message>;

/** A mention that matches no name, with the most similar names. */
export const UnknownMention = z.object({ name: z.string(), nearest: z.array(z.string()) });
export type UnknownMention = z.infer<typeof UnknownMention>;
