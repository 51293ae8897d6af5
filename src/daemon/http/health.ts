/** Whether the daemon is well, and how to end it. */
import { Hono } from "hono";
import type { Health } from "../../protocol/http/health.ts";
import { version } from "../../protocol/version.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Env } from "./guard.ts";

export function healthRoutes({ store, clock }: Kernel, shutdown: () => void): Hono<Env> {
  const startedAt = clock.monotonic();
  return new Hono<Env>()
    .get("/health", async (context) => {
      const uptime = clock.monotonic() - startedAt;
      return context.json({ pid: process.pid, version, uptime, ...(await store.counts()) } satisfies Health);
    })
    .post("/shutdown", (context) => {
      shutdown();
      return context.json({ ok: true });
    });
}
