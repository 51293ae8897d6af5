/** The daemon: opens, wires, listens and closes. It holds no logic of its own. */
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { homeFiles, homeFolder } from "../protocol/home.ts";
import { requestBytes } from "../protocol/limits.ts";
import { version } from "../protocol/self.ts";
import { prepareHome, removeDaemonFile, writeDaemonFile } from "./home.ts";
import { createApp } from "./http/app.ts";
import { systemClock } from "./kernel/clock.ts";
import { closeKernel, createKernel } from "./kernel/kernel.ts";
import { newSecret } from "./kernel/tokens.ts";
import { report } from "./log.ts";
import type { McpHandler } from "./mcp/handler.ts";
import { createLocalSpawn, type RunSpec } from "./process/local.ts";
import { createPool } from "./process/pool.ts";
import { endOrphans } from "./process/strays.ts";
import { lockHome } from "./store/sqlite/lock.ts";
import { openSqliteStore } from "./store/sqlite/sqlite-store.ts";

const host = "127.0.0.1";
const coolAfterMs = 60_000;

export type DaemonOptions = {
  env: Record<string, string | undefined>;
  /** Runs turns inside this process, for debugging. */
  local?: RunSpec;
};

/** Runs until it is told to stop. Says `ready` or `taken` on stdout, once, to whoever started it. */
export async function runDaemon({ env, local }: DaemonOptions): Promise<void> {
  const home = homeFolder(env);
  prepareHome(home);
  if (!lockHome(join(home, homeFiles.lock))) {
    process.stdout.write("taken\n");
    return;
  }
  const clock = systemClock;
  const store = openSqliteStore({ path: join(home, homeFiles.database), now: clock.now, random: Math.random });
  const clientToken = newSecret();
  const spareToken = newSecret();
  const closing = new AbortController();
  const stopped = Promise.withResolvers<void>();

  let handle = async (_request: Request): Promise<Response> => new Response(null, { status: 503 });
  const serving = { maxRequestBodySize: requestBytes, fetch: (request: Request) => handle(request) };
  // No idle timeout: a stream of events may be silent for long.
  const server = Bun.serve({ ...serving, idleTimeout: 0, hostname: host, port: Number(env.AGENT_WORKER_PORT ?? 0) });
  const port = server.port ?? 0;
  const mcpUrl = `http://${host}:${port}/mcp`;

  const pool = createPool({
    mcpUrl,
    spareToken,
    spares: Number(env.AGENT_WORKER_SPARES ?? 2),
    maxWorkers: Number(env.AGENT_WORKER_MAX_WORKERS ?? 64),
  });
  let cooling: Timer | undefined;
  const onActivity = () => {
    pool.warm();
    clearTimeout(cooling);
    cooling = setTimeout(() => pool.cool(), coolAfterMs);
  };
  const kernel = createKernel({
    store,
    clock,
    random: Math.random,
    spawn: local ? createLocalSpawn(local) : pool.spawn,
    node: randomUUID(),
    mcpUrl,
    env,
    onActivity,
    report,
  });
  const { workers } = await store.recover();
  await endOrphans(workers);

  let mcp: Promise<McpHandler> | undefined;
  const loadMcp = () => (mcp ??= import("./mcp/handler.ts").then(({ createHandler }) => createHandler(kernel, report)));
  const app = createApp({
    kernel,
    store,
    clientToken,
    spareToken,
    hosts: () => [`${host}:${port}`, `localhost:${port}`, "localhost"],
    answerMcp: async (request, claim) => (await loadMcp()).fetch(request, claim),
    closing: closing.signal,
    shutdown: () => stopped.resolve(),
    report,
  });
  handle = async (request) => app.fetch(request);
  const socket = join(home, homeFiles.socket);
  rmSync(socket, { force: true });
  const socketServer = Bun.serve({ ...serving, unix: socket });

  process.on("SIGTERM", () => stopped.resolve());
  process.on("SIGINT", () => stopped.resolve());
  process.on("unhandledRejection", (error) => report("a promise was left to fail", error));
  writeDaemonFile(home, { pid: process.pid, host, port, token: clientToken, version, startedAt: clock.now() });
  process.stdout.write("ready\n");

  await kernel.scheduler.wakeOwed();
  await kernel.runs.goOn();
  kernel.scheduler.startSweep();
  void loadMcp();

  await stopped.promise;
  removeDaemonFile(home);
  closing.abort();
  clearTimeout(cooling);
  await closeKernel(kernel);
  await pool.close();
  await (await mcp)?.close();
  await Promise.all([server.stop(true), socketServer.stop(true)]);
  rmSync(socket, { force: true });
  await store.close();
  process.exit(0);
}
