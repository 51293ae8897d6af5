/** The tools of the inbox: what they take and give. */
import { z } from "zod";
import { ToolMessage } from "./message.ts";

export const InboxCheckResult = z.object({
  /** All that this turn holds and has not acked, high priority first. */
  messages: z.array(ToolMessage),
  /** What earlier attempts of this turn already said and called, a line each. */
  earlier: z.array(z.string()),
});
export type InboxCheckResult = z.infer<typeof InboxCheckResult>;

export const InboxAckInput = z.object({
  ids: z.array(z.string()).optional().describe("Ids of messages that you have handled."),
  until: z.string().optional().describe("All up to this message: an id, a seq or a timestamp."),
});
export const InboxAckResult = z.object({ acked: z.array(z.string()) });
export type InboxAckResult = z.infer<typeof InboxAckResult>;
