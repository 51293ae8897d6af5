/** One turn: what it was for, what it said, how it ended. */
import { Hono } from "hono";
import type { Operations } from "../kernel/operations.ts";
import type { Env } from "./guard.ts";

export function turnRoutes(kernel: Operations): Hono<Env> {
  return new Hono<Env>().get("/turns/:id", async (context) =>
    context.json(await kernel.describeTurn(context.req.param("id"))),
  );
}
