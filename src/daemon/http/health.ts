/** Whether the daemon is well, and how to end it. */
import { Hono } from "hono";
import type { Operations } from "../kernel/operations.ts";
import type { Env } from "./guard.ts";

export function healthRoutes(kernel: Operations, shutdown: () => void): Hono<Env> {
  return new Hono<Env>()
    .get("/health", async (context) => context.json(await kernel.checkHealth()))
    .post("/shutdown", (context) => {
      shutdown();
      return context.json({ ok: true });
    });
}
