/** The daemon's process. Only here may the daemon meet the worker: in `local` mode, turns run inside it. */
import { runDaemon } from "../daemon/main.ts";

async function start(): Promise<void> {
  const local = process.env.AGENT_WORKER_LOCAL === "1" ? (await import("../worker/spec.ts")).runSpec : undefined;
  await runDaemon(process.env, local);
}

void start();
