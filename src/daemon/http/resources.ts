/** Resources, whole or in parts. */
import { Hono } from "hono";
import { z } from "zod";
import { AppError } from "../../protocol/error.ts";
import { resourceBytes } from "../../protocol/limits.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Env } from "./guard.ts";
import { readQuery } from "./request.ts";

const Range = z.object({
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(resourceBytes).default(resourceBytes),
});

export function resourceRoutes({ store }: Kernel): Hono<Env> {
  return new Hono<Env>().get("/resources/:id", async (context) => {
    const part = await store.resource(null, context.req.param("id"), readQuery(context, Range));
    if (!part) throw new AppError("not-found", "there is no such resource", { hint: "an id has 64 characters" });
    return context.json(part);
  });
}
