/** An instance's history as a whole: exported page by page, or cleared. */
import { Hono } from "hono";
import { z } from "zod";
import { ClearRequest } from "../../protocol/http/bodies.ts";
import { pageSize } from "../../protocol/limits.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Env } from "./guard.ts";
import { readBody, readQuery, readTarget } from "./request.ts";

const Page = z.object({
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(pageSize).default(pageSize),
});

export function historyRoutes(kernel: Operations): Hono<Env> {
  return new Hono<Env>()
    .get("/workflows/:target/export", async (context) => {
      const { instance } = await readTarget(kernel, context);
      return context.json(await kernel.exportTranscript(instance, readQuery(context, Page)));
    })
    .post("/workflows/:target/clear", async (context) => {
      const { body } = readBody(context, ClearRequest);
      const { instance } = await readTarget(kernel, context, body);
      return context.json(await kernel.clearHistory(instance));
    });
}
