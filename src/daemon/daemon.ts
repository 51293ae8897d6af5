/** The composition root of the daemon: opens, wires, listens and closes. It contains no other logic. */
import { randomUUID } from "node:crypto";
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { homeFiles } from "../system/home.ts";
import { AppError, errorTable } from "../protocol/error.ts";
import { requestBytes } from "../protocol/limits.ts";
import { createApp } from "./http/app.ts";
import { delay, systemClock } from "./kernel/clock.ts";
import { type Kernel, closeKernel, createKernel, resumeKernel } from "./kernel/kernel.ts";
import { createOperations, createTurnOperations } from "./kernel/operations.ts";
import { newSecret } from "./kernel/tokens.ts";
import { report } from "./log.ts";
import { createHandler } from "./mcp/handler.ts";
import { createLocalSpawn, type RunSpec } from "./process/local-spawn.ts";
import { createPool } from "./process/pool.ts";
import { killOrphanedWorkers } from "./process/orphans.ts";
import { prepareDatabase } from "./store/own-database.ts";
import { createRoutedStore } from "./store/routed-store.ts";
import { openSqliteStore } from "./store/sqlite/sqlite-store.ts";

/** The guard refuses an oversized body with an error message. This limit only cuts off absurd sizes. */
const serveOptions = { maxRequestBodySize: 128 * requestBytes };
/** How long closing waits for open responses. */
const closeTimeoutMs = 500;

export type DaemonOptions = {
  home: string;
  /** Used after a restart, when callers' environments are no longer known. */
  env: Record<string, string | undefined>;
  /** 0: any free port. */
  port: number;
  /** Number of spare workers kept ready while there is work. */
  spares: number;
  maxWorkers: number;
  /** Runs turns inside this process, for debugging. */
  local?: RunSpec;
  /** Called when a client asks the daemon to stop. */
  onShutdown: () => void;
};

export type Daemon = {
  kernel: Kernel;
  host: string;
  port: number;
  /** The token that clients send. */
  token: string;
  /** Resumes what the last daemon left unfinished, as if it had never stopped. */
  resumeWork(): Promise<void>;
  close(): Promise<void>;
};

/** Opens the daemon of a home whose lock the caller holds. */
export async function openDaemon(options: DaemonOptions): Promise<Daemon> {
  const { home, env, local, onShutdown } = options;
  const clock = systemClock;
  const storeOptions = { now: clock.now, random: Math.random, order: { last: 0 } };
  const store = createRoutedStore(
    openSqliteStore({ ...storeOptions, path: join(home, homeFiles.database) }),
    (path, place) => {
      if (place) prepareDatabase(path, place);
      return openSqliteStore({ ...storeOptions, path, exclusive: true });
    },
  );
  const { workers } = await store.recover();
  await killOrphanedWorkers(workers);

  const host = "127.0.0.1";
  // Workers need the port, so it is bound before the app that answers requests exists.
  const server = Bun.serve({ ...serveOptions, hostname: host, port: options.port, fetch: refuse });
  const port = server.port ?? options.port;
  const mcpUrl = `http://${host}:${port}/mcp`;

  const spareToken = newSecret();
  const pool = createPool({ mcpUrl, spareToken, spares: options.spares, maxWorkers: options.maxWorkers });
  const spawn = local ? createLocalSpawn(local) : pool.spawn;
  const node = randomUUID();
  const kernel = createKernel({
    store,
    clock,
    random: Math.random,
    spawn,
    node,
    mcpUrl,
    env,
    report,
    onActivity: pool.warm,
  });

  const operations = createOperations(kernel);
  const turnOperations = createTurnOperations(kernel);
  const mcp = createHandler({ operations, turnOperations, report });
  const closing = new AbortController();
  const token = newSecret();
  const app = createApp({
    operations,
    // Only a turn's token is looked up in the store.
    identify: turnOperations.identify,
    clientToken: token,
    spareToken,
    answerMcp: mcp.fetch,
    closing: closing.signal,
    shutdown: onShutdown,
    report,
  });
  /** Requests that have not been answered yet. */
  const pending = new Set<Promise<Response>>();
  const answerFor =
    (...hosts: string[]) =>
    (request: Request, listener: Bun.Server<undefined>) => {
      // An event stream can be silent for a long time.
      listener.timeout(request, 0);
      const answer = Promise.resolve(app.fetch(request, { hosts }));
      pending.add(answer);
      answer.finally(() => pending.delete(answer)).catch(() => undefined);
      return answer;
    };
  server.reload({ fetch: answerFor(`${host}:${port}`, `localhost:${port}`) });
  const socket = join(home, homeFiles.socket);
  rmSync(socket, { force: true });
  const socketServer = Bun.serve({ ...serveOptions, unix: socket, fetch: answerFor("localhost") });
  chmodSync(socket, 0o600);

  return {
    kernel,
    host,
    port,
    token,
    resumeWork: () => resumeKernel(kernel),
    async close() {
      closing.abort();
      await closeKernel(kernel);
      await pool.close();
      await mcp.close();
      // Open requests are answered, but a slow client cannot delay the shutdown.
      const finished = Promise.allSettled([server.stop(), ...pending]);
      await Promise.race([finished, delay(clock, closeTimeoutMs)]);
      await server.stop(true);
      // The socket is removed last: once it is gone, the databases are closed and can be copied.
      socketServer.reload({ fetch: refuse });
      await store.close();
      await Promise.race([socketServer.stop(), delay(clock, closeTimeoutMs)]);
      await socketServer.stop(true);
      rmSync(socket, { force: true });
    },
  };
}

/** Answers while the daemon is starting or stopping. */
function refuse(): Response {
  const error = new AppError("shutting-down", "the daemon is starting or stopping");
  return Response.json(error.toBody(), { status: errorTable[error.code].status });
}
