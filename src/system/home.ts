/** The home folder, and the names of the files in it. */
import { type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

export const homeFiles = {
  daemon: "daemon.json",
  lock: "daemon.lock",
  log: "daemon.log",
  socket: "daemon.sock",
  database: "agent-worker.db",
  /** The default target, set by `use`. */
  target: "target",
  /** Fetched repositories of skills. */
  skills: "skills",
  /** Temporary home folders of programs, one per turn, made of links. */
  homes: "homes",
} as const;

/** `AGENT_WORKER_HOME`, or `~/.agent-worker` by default. */
export function homeFolder(env: Record<string, string | undefined>): string {
  return env.AGENT_WORKER_HOME ? resolve(env.AGENT_WORKER_HOME) : join(homedir(), ".agent-worker");
}

const groupOrOthersCanWrite = 0o022;

/** Why the folder cannot be trusted, and how to fix that; undefined if it is private, or cannot be used at all. */
export function homeProblem(home: string): { message: string; fix: string } | undefined {
  const folder = statFolder(home);
  if (!folder) return undefined;
  // Root is no exception: the owner of the folder would get root's environment. Windows has no user ids.
  if (process.getuid && folder.uid !== process.getuid()) {
    return { message: `the home folder ${home} belongs to another user`, fix: "run the command as that user" };
  }
  if ((folder.mode & groupOrOthersCanWrite) !== 0) {
    return {
      message: `other users can write to the home folder ${home}`,
      fix: "check what is in it, then make it private with chmod 700",
    };
  }
  return undefined;
}

/** Undefined if there is no folder, or none that this process can reach: that is reported when the daemon is started. */
function statFolder(path: string): Stats | undefined {
  try {
    const stats = statSync(path);
    return stats.isDirectory() ? stats : undefined;
  } catch {
    return undefined;
  }
}
