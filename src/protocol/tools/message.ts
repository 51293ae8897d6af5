/** A message as the daemon's tools show it to agents. */
import { z } from "zod";
import { MessageKind, Priority } from "../message.ts";

/** A message as an agent is shown it. */
export const ToolMessage = z.object({
  id: z.string(),
  seq: z.number().int(),
  sender: z.string(),
  recipients: z.array(z.string()),
  /** Of a long message its head and tail. */
  content: z.string(),
  kind: MessageKind,
  priority: Priority,
  private: z.boolean(),
  inReplyTo: z.string().nullable(),
  createdAt: z.number(),
  /** Where all of a long message is: see `resource_read`. */
  resource: z.string().optional(),
});
export type ToolMessage = z.infer<typeof ToolMessage>;
