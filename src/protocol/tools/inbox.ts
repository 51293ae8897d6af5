/** The inbox tools: their inputs and results. */
import { z } from "zod";
import { ToolMessage } from "./message.ts";

export const InboxCheckResult = z.object({
  /** The messages that this turn has claimed and not yet acknowledged, high priority first. */
  messages: z.array(ToolMessage),
  /** What earlier attempts of this turn already sent and called, one line each. */
  earlier: z.array(z.string()),
});
export type InboxCheckResult = z.infer<typeof InboxCheckResult>;

export const InboxAckInput = z.object({
  ids: z.array(z.string()).optional().describe("Ids of the messages that you have handled."),
  until: z.string().optional().describe("Acknowledge all messages up to this one: an id, a seq or a timestamp."),
});
export const InboxAckResult = z.object({ acked: z.array(z.string()) });
export type InboxAckResult = z.infer<typeof InboxAckResult>;
