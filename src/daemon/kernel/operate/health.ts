/** The daemon's uptime and its number of workflows, agents and turns. */
import type { Health } from "../../../protocol/http/health.ts";
import { version } from "../../../protocol/version.ts";
import type { Kernel } from "../kernel.ts";

export async function checkHealth({
  store,
  clock,
  startedAt,
}: Pick<Kernel, "store" | "clock" | "startedAt">): Promise<Health> {
  return { pid: process.pid, version, uptime: clock.monotonic() - startedAt, ...(await store.counts()) };
}
