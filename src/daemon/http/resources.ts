/** Resources, whole or in parts. */
import { Hono } from "hono";
import { z } from "zod";
import { resourceBytes } from "../../protocol/limits.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Env } from "./guard.ts";
import { readQuery } from "./request.ts";

const Range = z.object({
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(resourceBytes).default(resourceBytes),
});

export function resourceRoutes(kernel: Operations): Hono<Env> {
  return new Hono<Env>().get("/resources/:id", async (context) =>
    context.json(await kernel.readResource("client", context.req.param("id"), readQuery(context, Range))),
  );
}
