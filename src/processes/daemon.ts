/** Entry point of the daemon. The only place that loads both tiers: in `local` mode, turns run inside the daemon. */
import { writeSync } from "node:fs";
import { readEnvironment } from "../daemon/read-environment.ts";
import { runDaemon } from "../daemon/main.ts";
import { AppError, reasonOf } from "../protocol/error.ts";
import { directLoopback } from "../system/loopback.ts";

async function start(): Promise<void> {
  const env = await readEnvironment(process.stdin.isTTY ? undefined : Bun.stdin.stream(), process.env);
  // For turns inside this process. Before the first request: Bun reads these variables only once.
  Object.assign(process.env, directLoopback(process.env));
  const local = env.AGENT_WORKER_LOCAL === "1" ? (await import("../worker/spec.ts")).runSpec : undefined;
  await runDaemon(env, local);
}

start().catch((error: unknown) => {
  // The command that started the daemon shows the last lines of its log.
  const hint = error instanceof AppError && error.hint ? `\n${error.hint}` : "";
  writeSync(process.stderr.fd, `${reasonOf(error)}${hint}\n`);
  process.exit(1);
});
