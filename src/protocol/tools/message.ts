/** A message as the daemon's tools show it to agents. */
import { z } from "zod";
import { Message } from "../message.ts";

/** A message as agents see it. */
export const ToolMessage = Message.omit({ run: true, hop: true, turn: true, values: true }).extend({
  /** Only the head and tail of a long message. */
  content: z.string(),
  /** The resource with the full text of a long message; read it with `resource_read`. */
  resource: z.string().optional(),
});
export type ToolMessage = z.infer<typeof ToolMessage>;
