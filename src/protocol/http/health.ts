/** Routes of the daemon itself: its health, and shutting it down. */
import { z } from "zod";
import { route } from "./route.ts";

export const Health = z.object({
  pid: z.number().int(),
  version: z.string(),
  uptime: z.number(),
  workflows: z.number().int(),
  running: z.number().int(),
  agents: z.number().int(),
  turns: z.number().int(),
});
export type Health = z.infer<typeof Health>;

export const ShutdownResponse = z.object({ ok: z.boolean() });

export const healthRoutes = {
  "GET /health": route({
    summary: "Reports that the daemon is up, and its load.",
    response: { Health },
  }),
  "POST /shutdown": route({
    summary:
      "Shuts the daemon down cleanly: interrupted attempts are not counted, and the next daemon continues the work.",
    response: { ShutdownResponse },
  }),
};
