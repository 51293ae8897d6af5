/** `notifications/mention` at the MCP door: word that a message addresses somebody. Its content is read, not sent along. */
import { z } from "zod";
import { Priority } from "./message.ts";

export const Mention = z.object({
  /** The instance that it was said in, and its folder. */
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
