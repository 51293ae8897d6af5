/** `daemon.json`: the address and token of the daemon. It can be outdated, and the port can belong to another program by then. */
import { z } from "zod";

export const DaemonFile = z.object({
  pid: z.number().int(),
  host: z.string(),
  port: z.number().int(),
  token: z.string(),
  version: z.string(),
  startedAt: z.number(),
});
export type DaemonFile = z.infer<typeof DaemonFile>;
