/** Whether the daemon is well, and how to end it. */
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

export const ShutdownAnswer = z.object({ ok: z.boolean() });

export const healthRoutes = {
  "GET /health": route({
    summary: "Whether the daemon is well, and how much it has to do.",
    answer: { Health },
  }),
  "POST /shutdown": route({
    summary: "Ends the daemon in good order: no attempt is counted, and the next daemon goes on.",
    answer: { ShutdownAnswer },
  }),
};
