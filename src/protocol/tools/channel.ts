/** The channel tools: their inputs and results. */
import { z } from "zod";
import { UnknownMention } from "../message.ts";
import { ToolMessage } from "./message.ts";

export const ChannelSendInput = z.object({
  message: z.string().describe("The text. @name addresses an agent, @all every agent, @user the human."),
  to: z.array(z.string()).optional().describe("More recipients, in addition to those mentioned in the text."),
  private: z.boolean().optional().describe("Only the sender and the agents in `to` see it."),
  in_reply_to: z.string().optional().describe("The id of the message that this answers."),
});
export const ChannelSendResult = z.object({
  id: z.string(),
  seq: z.number().int(),
  recipients: z.array(z.string()),
  unknown: z.array(UnknownMention),
  /** Recipients that are not running now; the message waits for them. */
  parked: z.array(z.string()),
  /** An earlier attempt of this turn sent exactly this message, so it was not sent again. */
  repeated: z.boolean(),
});
export type ChannelSendResult = z.infer<typeof ChannelSendResult>;

export const ChannelReadInput = z.object({
  since: z.string().optional().describe("Only messages after this one: an id or a seq."),
  limit: z
    .int()
    .min(1)
    .max(500)
    .optional()
    .describe("Maximum number, default 50: the first ones after `since`, or the newest."),
});
export const ChannelPeekInput = z.object({ limit: z.int().min(1).max(500).optional() });
export const ChannelReadResult = z.object({ messages: z.array(ToolMessage) });
export type ChannelReadResult = z.infer<typeof ChannelReadResult>;
