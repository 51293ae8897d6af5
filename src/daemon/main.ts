/** The daemon's process: takes the home, says `ready`, and runs until it is told to stop. */
import { join } from "node:path";
import { AppError } from "../protocol/error.ts";
import { homeFiles, homeFolder } from "../system/home.ts";
import { version } from "../protocol/version.ts";
import { openDaemon } from "./daemon.ts";
import { prepareHome, removeDaemonFile, writeDaemonFile } from "./home.ts";
import { report } from "./log.ts";
import type { RunSpec } from "./process/local.ts";
import { lockHome } from "./store/sqlite/lock.ts";

/** Says one word on stdout to whoever started it: `ready`, or `taken` when another daemon has the home. */
export async function runDaemon(env: Record<string, string | undefined>, local?: RunSpec): Promise<void> {
  const home = homeFolder(env);
  prepareHome(home);
  if (!lockHome(join(home, homeFiles.lock))) {
    process.stdout.write("taken\n");
    return;
  }
  const stop = Promise.withResolvers<void>();
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => stop.resolve());
  process.on("unhandledRejection", (error) => report("a promise was left to fail", error));

  const daemon = await openDaemon({
    home,
    env,
    port: number(env, "AGENT_WORKER_PORT", 0, 0),
    spares: number(env, "AGENT_WORKER_SPARES", 0, 3),
    maxWorkers: number(env, "AGENT_WORKER_MAX_WORKERS", 1, 64),
    local,
    onShutdown: () => stop.resolve(),
  });
  const { host, port, token } = daemon;
  writeDaemonFile(home, { pid: process.pid, host, port, token, version, startedAt: Date.now() });
  process.stdout.write("ready\n");
  // While the store is unavailable there is nothing to go on with yet, and the daemon can be stopped all the same.
  await Promise.race([daemon.goOn(), stop.promise]);
  await stop.promise;
  removeDaemonFile(home);
  await daemon.close();
  process.exit(0);
}

/** A setting of the environment that is a whole number, or the default when it is not set. */
function number(env: Record<string, string | undefined>, name: string, least: number, otherwise: number): number {
  const text = env[name];
  if (text === undefined || text === "") return otherwise;
  if (/^\d{1,6}$/.test(text) && Number(text) >= least) return Number(text);
  throw new AppError("usage", `${name} is '${text.slice(0, 20)}': it takes a whole number of at least ${least}`);
}
