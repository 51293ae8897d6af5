/** The MCP notification `notifications/mention`: a new message has recipients. It does not include the content. */
import { z } from "zod";
import { Priority } from "./message.ts";

export const Mention = z.object({
  /** The instance of the message, and its folder. */
  target: z.string(),
  project: z.string(),
  /** The message's id. */
  message: z.string(),
  seq: z.number().int(),
  sender: z.string(),
  recipients: z.array(z.string()),
  priority: Priority,
});
export type Mention = z.infer<typeof Mention>;
