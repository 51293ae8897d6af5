/** The daemon's process: locks the home, prints `ready`, and runs until it is asked to stop. */
import { join } from "node:path";
import { AppError } from "../protocol/error.ts";
import { homeFiles, homeFolder } from "../system/home.ts";
import { version } from "../protocol/version.ts";
import { openDaemon } from "./daemon.ts";
import { prepareHome, removeDaemonFile, writeDaemonFile } from "./home.ts";
import { report } from "./log.ts";
import type { RunSpec } from "./process/local-spawn.ts";
import { lockHome } from "./store/sqlite/lock.ts";

/** Prints one word on stdout for the parent process: `ready`, or `taken` when another daemon has the home. */
export async function runDaemon(env: Record<string, string | undefined>, local?: RunSpec): Promise<void> {
  const home = homeFolder(env);
  prepareHome(home);
  if (!lockHome(join(home, homeFiles.lock))) {
    process.stdout.write("taken\n");
    return;
  }
  const stop = Promise.withResolvers<void>();
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => stop.resolve());
  process.on("unhandledRejection", (error) => report("unhandled promise rejection", error));

  const daemon = await openDaemon({
    home,
    env,
    port: readNumber(env, "AGENT_WORKER_PORT", 0, 0),
    spares: readNumber(env, "AGENT_WORKER_SPARES", 0, 3),
    maxWorkers: readNumber(env, "AGENT_WORKER_MAX_WORKERS", 1, 64),
    local,
    onShutdown: () => stop.resolve(),
  });
  const { host, port, token } = daemon;
  writeDaemonFile(home, { pid: process.pid, host, port, token, version, startedAt: Date.now() });
  process.stdout.write("ready\n");
  // While the store is unavailable, no work can be resumed, but the daemon can still be stopped.
  await Promise.race([daemon.resumeWork(), stop.promise]);
  await stop.promise;
  removeDaemonFile(home);
  await daemon.close();
  process.exit(0);
}

/** Reads a whole number from the environment. */
function readNumber(env: Record<string, string | undefined>, name: string, min: number, fallback: number): number {
  const text = env[name];
  if (text === undefined || text === "") return fallback;
  if (/^\d{1,6}$/.test(text) && Number(text) >= min) return Number(text);
  throw new AppError("usage", `${name} is '${text.slice(0, 20)}': it must be a whole number of at least ${min}`);
}
