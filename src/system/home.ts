/** The home folder, and the names of the files in it. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";

export const homeFiles = {
  daemon: "daemon.json",
  lock: "daemon.lock",
  log: "daemon.log",
  socket: "daemon.sock",
  database: "agent-worker.db",
  /** The default target that `use` chose. */
  target: "target",
  /** Repositories of skills that agents name, as they were fetched. */
  skills: "skills",
  /** Home folders that programs are given for one turn, made of links. */
  homes: "homes",
} as const;

/** `~/.agent-worker`, unless `AGENT_WORKER_HOME` says otherwise. */
export function homeFolder(env: Record<string, string | undefined>): string {
  return env.AGENT_WORKER_HOME ? resolve(env.AGENT_WORKER_HOME) : join(homedir(), ".agent-worker");
}
