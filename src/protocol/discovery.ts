/** `daemon.json`: where the daemon says it can be found. A hint only: `/health` decides. */
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
