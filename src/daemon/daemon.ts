/** The daemon put together: opens, wires, listens and closes. It holds no logic of its own. */
import { randomUUID } from "node:crypto";
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { homeFiles } from "../system/home.ts";
import { requestBytes } from "../protocol/limits.ts";
import { createApp } from "./http/app.ts";
import { delay, systemClock } from "./kernel/clock.ts";
import { type Kernel, closeKernel, createKernel } from "./kernel/kernel.ts";
import { createOperations } from "./kernel/operations.ts";
import { newSecret } from "./kernel/tokens.ts";
import { report } from "./log.ts";
import { createHandler } from "./mcp/handler.ts";
import { createLocalSpawn, type RunSpec } from "./process/local.ts";
import { createPool } from "./process/pool.ts";
import { endOrphans } from "./process/strays.ts";
import { prepareDatabase } from "./store/own-database.ts";
import { createRoutedStore } from "./store/routed-store.ts";
import { openSqliteStore } from "./store/sqlite/sqlite-store.ts";

/** A body beyond what is accepted is refused by the guard, in words; this only ends what is absurd. */
const serving = { maxRequestBodySize: 128 * requestBytes };
const farewellMs = 500;

export type DaemonOptions = {
  home: string;
  /** Stands in for callers' environments after a restart. */
  env: Record<string, string | undefined>;
  /** 0: any that is free. */
  port: number;
  /** Workers kept ready while there is work. */
  spares: number;
  maxWorkers: number;
  /** Runs turns inside this process, for debugging. */
  local?: RunSpec;
  /** Called when a client asks the daemon to end. */
  onShutdown: () => void;
};

export type Daemon = {
  kernel: Kernel;
  host: string;
  port: number;
  /** What clients show. */
  token: string;
  /** Goes on with what the last daemon left; after that, all is as if it had never ended. */
  resumeWork(): Promise<void>;
  close(): Promise<void>;
};

/** Opens the daemon of a home whose lock the caller holds. */
export async function openDaemon(options: DaemonOptions): Promise<Daemon> {
  const { home, env, local, onShutdown } = options;
  const clock = systemClock;
  const storing = { now: clock.now, random: Math.random, order: { last: 0 } };
  const store = createRoutedStore(
    openSqliteStore({ ...storing, path: join(home, homeFiles.database) }),
    (path, place) => {
      if (place) prepareDatabase(path, place);
      return openSqliteStore({ ...storing, path, exclusive: true });
    },
  );
  const { workers } = await store.recover();
  await endOrphans(workers);

  const host = "127.0.0.1";
  // Workers have to know the port, so it is taken before there is anything to answer with.
  const server = Bun.serve({ ...serving, hostname: host, port: options.port, fetch: notNow });
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
  const mcp = createHandler(operations, report);
  const closing = new AbortController();
  const token = newSecret();
  const app = createApp({
    kernel: operations,
    clientToken: token,
    spareToken,
    answerMcp: mcp.fetch,
    closing: closing.signal,
    shutdown: onShutdown,
    report,
  });
  /** Requests that have not been answered yet. */
  const answering = new Set<Promise<Response>>();
  const answerAs =
    (...hosts: string[]) =>
    (request: Request, listener: Bun.Server<undefined>) => {
      // A stream of events may be silent for long.
      listener.timeout(request, 0);
      const answer = Promise.resolve(app.fetch(request, { hosts }));
      answering.add(answer);
      answer.finally(() => answering.delete(answer)).catch(() => undefined);
      return answer;
    };
  server.reload({ fetch: answerAs(`${host}:${port}`, `localhost:${port}`) });
  const socket = join(home, homeFiles.socket);
  rmSync(socket, { force: true });
  const socketServer = Bun.serve({ ...serving, unix: socket, fetch: answerAs("localhost") });
  chmodSync(socket, 0o600);

  return {
    kernel,
    host,
    port,
    token,
    async resumeWork() {
      await kernel.scheduler.wakeOwed();
      await kernel.projections.addAll();
      await kernel.runs.resumeAll();
      kernel.scheduler.startSweep();
      kernel.schedules.checkDue();
      kernel.deadlines.checkDue();
      await kernel.decisions.write(null);
    },
    async close() {
      closing.abort();
      await closeKernel(kernel);
      await pool.close();
      await mcp.close();
      // Answers that are under way are given, but nobody can hold up the end.
      const finished = Promise.allSettled([server.stop(), ...answering]);
      await Promise.race([finished, delay(clock, farewellMs)]);
      await server.stop(true);
      // The socket goes last, and its going says that the databases are whole: they may be copied the next moment.
      socketServer.reload({ fetch: notNow });
      await store.close();
      await Promise.race([socketServer.stop(), delay(clock, farewellMs)]);
      await socketServer.stop(true);
      rmSync(socket, { force: true });
    },
  };
}

function notNow(): Response {
  return new Response(null, { status: 503 });
}
