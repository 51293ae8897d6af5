/** Finds the daemon of a home, or starts one; however many commands do so at once, there is one daemon. */
import { existsSync, watch } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../protocol/error.ts";
import { homeFiles } from "../../system/home.ts";
import { version } from "../../protocol/version.ts";
import { refuseInsideTurn } from "../command-line/inside-turn.ts";
import { type Daemon, findDaemon, readDaemonFile } from "./daemon-file.ts";

export type DiscoverOptions = {
  home: string;
  env: Record<string, string>;
  /** Told once each: that a daemon was started, that it is of another version. */
  announce(text: string): void;
};

const deadlineMs = 10_000;
/** How long the daemon that holds the home may take to be heard before another start is tried. */
const winnerMs = 1_000;
/** A daemon ends its workers before it goes. */
const shutdownDeadlineMs = 25_000;

export async function ensureDaemon(options: DiscoverOptions): Promise<Daemon> {
  refuseInsideTurn(options.env);
  const found = await findDaemon(options.home);
  if (!found) return await launch(options, deadlineMs);
  if (found.health.version === version) return found;
  return await replace(found, options);
}

/** Asks the daemon to end, and waits until it has let go of the home. */
export async function shutDown(home: string, daemon: Daemon): Promise<void> {
  // It takes its file away first, so that nobody finds it any more, and its socket last, when its databases are closed.
  const hasLeft = () => readDaemonFile(home)?.token !== daemon.token && !existsSync(join(home, homeFiles.socket));
  const gone = watchHome(home, hasLeft, shutdownDeadlineMs);
  try {
    const response = await fetch(`${daemon.url}/shutdown`, {
      method: "POST",
      headers: { authorization: `Bearer ${daemon.token}`, "content-type": "application/json" },
      body: "{}",
      signal: AbortSignal.timeout(shutdownDeadlineMs),
    });
    await response.body?.cancel();
  } catch {
    // It may have gone before it had answered; the file tells.
  }
  if (!(await gone)) {
    throw new AppError("timeout", `the daemon (pid ${daemon.health.pid}) is still ending its workers`, {
      hint: "give the command again, or see agent-worker daemon logs",
    });
  }
}

async function launch(options: DiscoverOptions, limitMs: number): Promise<Daemon> {
  const { home, env, announce } = options;
  // Loaded only now: most commands find a daemon that runs.
  const { startDaemon, diskFull } = await import("./start-daemon.ts");
  const until = Date.now() + limitMs;
  let started = false;
  do {
    started = (await startDaemon(home, env)) === "ready";
    // Taken: the winner may still be about to write the file, or the holder about to let go of the home.
    const daemon = await awaitDaemon(home, Math.min(winnerMs, Math.max(0, until - Date.now())));
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
    holder ? `the daemon (pid ${holder.pid}) does not answer` : `a daemon holds ${home} but does not answer`,
    { hint: "it may still be ending its workers: try again. agent-worker daemon logs shows what it last said" },
  );
}

/** A daemon of another version makes way when nothing runs in it. */
async function replace(daemon: Daemon, options: DiscoverOptions): Promise<Daemon> {
  const { running, turns, version: theirs } = daemon.health;
  if (running === 0 && turns === 0) {
    await shutDown(options.home, daemon);
    return await launch(options, shutdownDeadlineMs);
  }
  const what = `the daemon is version ${theirs}, this command ${version}, and ${running} of its workflows run`;
  if (!speaksSameProtocol(theirs, version)) {
    throw new AppError("daemon-unreachable", what, {
      hint: `use version ${theirs} until they end, or stop them all: agent-worker daemon stop`,
    });
  }
  options.announce(`${what}; going on with it. It is replaced when nothing runs`);
  return daemon;
}

/** Before 1.0 a minor version may change the protocol; from then on only a major one. */
export function speaksSameProtocol(theirs: string, ours: string): boolean {
  const [theirMajor, theirMinor] = theirs.split(".");
  const [ourMajor, ourMinor] = ours.split(".");
  return theirMajor === ourMajor && (ourMajor !== "0" || theirMinor === ourMinor);
}

/** The daemon, as soon as its file is there and it answers. */
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

/** Checks now and after each coming and going of the daemon's files until the check holds: true; or the time is up: false. */
async function watchHome(home: string, check: () => boolean | Promise<boolean>, limitMs: number): Promise<boolean> {
  let changed = Promise.withResolvers<void>();
  // Watching begins before the first check, so that no change falls between the two.
  const watcher = watch(home, (_, file) => {
    if (file === null || file === homeFiles.daemon || file === homeFiles.socket) changed.resolve();
  });
  watcher.on("error", () => changed.resolve());
  let timeIsUp = false;
  const timer = setTimeout(() => {
    timeIsUp = true;
    changed.resolve();
  }, limitMs);
  try {
    while (!(await check())) {
      if (timeIsUp) return false;
      await changed.promise;
      changed = Promise.withResolvers();
    }
    return true;
  } finally {
    clearTimeout(timer);
    watcher.close();
  }
}

/** Where the daemon writes what goes wrong in it. */
export function logFile(home: string): string {
  return join(home, homeFiles.log);
}
