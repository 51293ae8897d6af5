/** The daemon's process. Only here may the daemon meet the worker: in `local` mode, turns run inside it. */
import { writeSync } from "node:fs";
import { readEnvironment } from "../daemon/environment.ts";
import { runDaemon } from "../daemon/main.ts";
import { AppError, reasonOf } from "../protocol/error.ts";
import { directLoopback } from "../system/loopback.ts";

async function start(): Promise<void> {
  const env = await readEnvironment(process.stdin.isTTY ? undefined : Bun.stdin.stream(), process.env);
  // For turns inside this process; before the first request, for Bun looks at these variables once.
  Object.assign(process.env, directLoopback(process.env));
  const local = env.AGENT_WORKER_LOCAL === "1" ? (await import("../worker/spec.ts")).runSpec : undefined;
  await runDaemon(env, local);
}

start().catch((error: unknown) => {
  // Whoever started it shows what it last said.
  const hint = error instanceof AppError && error.hint ? `\n${error.hint}` : "";
  writeSync(process.stderr.fd, `${reasonOf(error)}${hint}\n`);
  process.exit(1);
});
