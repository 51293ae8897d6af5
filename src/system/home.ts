/** The home folder, and the names of the files in it. */
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
