/** The event table as a resumable stream: of one workflow, or of all. */
import { type Context, Hono } from "hono";
import { z } from "zod";
import type { Operations } from "../kernel/operations.ts";
import type { Env } from "./guard.ts";
import { readQuery, readTarget } from "./request.ts";
import { eventStream } from "./sse.ts";

const Place = z.object({
  after: z.coerce.number().int().min(0).optional(),
  /** `0`: only what is stored now. */
  follow: z.enum(["0", "1"]).default("1"),
});

export function eventRoutes(kernel: Operations, closing: AbortSignal): Hono<Env> {
  function stream(context: Context, workflow?: string): Response {
    const { after, follow } = readQuery(context, Place);
    const resumed = Number(context.req.header("last-event-id"));
    const from = Number.isInteger(resumed) && resumed > 0 ? resumed : (after ?? 0);
    return eventStream({ kernel, closing, workflow, after: from, live: follow === "1" });
  }

  return new Hono<Env>()
    .get("/events", (context) => stream(context))
    .get("/workflows/:target/events", async (context) => {
      const { instance } = await readTarget(kernel, context);
      return stream(context, instance.id);
    });
}
