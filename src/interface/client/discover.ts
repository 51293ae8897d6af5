/** Finds the daemon of a home, or starts it. Commands that do so at the same time get the same daemon. */
import { existsSync, watch } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../protocol/error.ts";
import { homeFiles } from "../../system/home.ts";
import { version } from "../../protocol/version.ts";
import { refuseInsideTurn } from "../command-line/inside-turn.ts";
import { type Daemon, findDaemon, readDaemonFile } from "./daemon-file.ts";
import { fetchDaemon } from "./fetch-daemon.ts";

export type DiscoverOptions = {
  home: string;
  env: Record<string, string>;
  /** Called when a daemon was started, and when it has another version. */
  announce(text: string): void;
};

const deadlineMs = 10_000;
/** How long to wait for the daemon that has locked the home, before the next attempt to start one. */
const holderWaitMs = 1_000;
/** A daemon stops its workers before it exits. */
const shutdownDeadlineMs = 25_000;

export async function ensureDaemon(options: DiscoverOptions): Promise<Daemon> {
  refuseInsideTurn(options.env);
  const found = await findDaemon(options.home);
  if (!found) return await launch(options, deadlineMs);
  if (found.health.version === version) return found;
  return await replace(found, options);
}

/** Asks the daemon to stop, and waits until it has released the home. */
export async function shutDown(home: string, daemon: Daemon): Promise<void> {
  // It removes its file first, so that no command finds it, and its socket last, after it has closed its databases.
  const hasLeft = () => readDaemonFile(home)?.token !== daemon.token && !existsSync(join(home, homeFiles.socket));
  const gone = watchHome(home, hasLeft, shutdownDeadlineMs);
  try {
    const response = await fetchDaemon(daemon, "/shutdown", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
      redirect: "error",
      signal: AbortSignal.timeout(shutdownDeadlineMs),
    });
    await response.body?.cancel();
  } catch {
    // It may have exited before it answered; its files show that.
  }
  if (!(await gone)) {
    throw new AppError("timeout", `the daemon (pid ${daemon.health.pid}) is still stopping its workers`, {
      hint: "run the command again, or see agent-worker daemon logs",
    });
  }
}

async function launch(options: DiscoverOptions, limitMs: number): Promise<Daemon> {
  const { home, env, announce } = options;
  // Imported only here: most commands find a running daemon.
  const { startDaemon, diskFull } = await import("./start-daemon.ts");
  const until = Date.now() + limitMs;
  let started = false;
  do {
    started = (await startDaemon(home, env)) === "ready";
    // Taken: the other daemon may be about to write its file, or about to release the home.
    const daemon = await awaitDaemon(home, Math.min(holderWaitMs, Math.max(0, until - Date.now())));
    if (daemon) {
      if (started) announce("started the daemon");
      return daemon;
    }
  } while (Date.now() < until);
  const holder = readDaemonFile(home);
  const full = holder ? undefined : diskFull(home);
  if (full) throw full;
  throw new AppError(
    "daemon-unreachable",
    holder ? `the daemon (pid ${holder.pid}) does not answer` : `a daemon has locked ${home} but does not answer`,
    { hint: "it may still be stopping its workers: try again, or see agent-worker daemon logs" },
  );
}

/** Replaces a daemon of another version when nothing runs in it. */
async function replace(daemon: Daemon, options: DiscoverOptions): Promise<Daemon> {
  const { running, turns, version: theirs } = daemon.health;
  if (running === 0 && turns === 0) {
    await shutDown(options.home, daemon);
    return await launch(options, shutdownDeadlineMs);
  }
  const what = `the daemon is version ${theirs}, this command is version ${version}, and ${running} of its workflows are running`;
  if (!speaksSameProtocol(theirs, version)) {
    throw new AppError("daemon-unreachable", what, {
      hint: `use version ${theirs} until they end, or stop the daemon: agent-worker daemon stop`,
    });
  }
  options.announce(`${what}; it will be replaced when nothing is running`);
  return daemon;
}

/** Before 1.0, a minor version can change the protocol; after that, only a major version can. */
export function speaksSameProtocol(theirs: string, ours: string): boolean {
  const [theirMajor, theirMinor] = theirs.split(".");
  const [ourMajor, ourMinor] = ours.split(".");
  return theirMajor === ourMajor && (ourMajor !== "0" || theirMinor === ourMinor);
}

/** Waits until the daemon's file exists and the daemon answers. */
async function awaitDaemon(home: string, limitMs: number): Promise<Daemon | undefined> {
  let daemon: Daemon | undefined;
  await watchHome(
    home,
    async () => {
      daemon = await findDaemon(home);
      return daemon !== undefined;
    },
    limitMs,
  );
  return daemon;
}

/** Runs the check now and after each change of the daemon's files: true as soon as it passes, false after the time limit. */
async function watchHome(home: string, check: () => boolean | Promise<boolean>, limitMs: number): Promise<boolean> {
  let changed = Promise.withResolvers<void>();
  // Watch before the first check, so that no change is missed in between.
  const watcher = watch(home, (_, file) => {
    if (file === null || file === homeFiles.daemon || file === homeFiles.socket) changed.resolve();
  });
  watcher.on("error", () => changed.resolve());
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    changed.resolve();
  }, limitMs);
  try {
    while (!(await check())) {
      if (timedOut) return false;
      await changed.promise;
      changed = Promise.withResolvers();
    }
    return true;
  } finally {
    clearTimeout(timer);
    watcher.close();
  }
}

/** The daemon's log file. */
export function logFile(home: string): string {
  return join(home, homeFiles.log);
}
