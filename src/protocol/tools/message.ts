/** A message as the daemon's tools show it to agents. */
import { z } from "zod";
import { Message } from "../message.ts";

/** A message as an agent is shown it. */
export const ToolMessage = Message.omit({ run: true, hop: true, turn: true, values: true }).extend({
  /** Of a long message its head and tail. */
  content: z.string(),
  /** Where all of a long message is: see `resource_read`. */
  resource: z.string().optional(),
});
export type ToolMessage = z.infer<typeof ToolMessage>;
