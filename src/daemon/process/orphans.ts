/** Kills processes that a worker left behind: those that escaped its process group, or outlived their daemon. */
import { endMarked, markOf, type ProcessIdentity, signalProcess } from "../../system/process.ts";
import type { WorkerSpec } from "../../protocol/worker/worker-input.ts";

/**
 * Kills all descendants of the worker, in any process group or session. A child that is just being started still has
 * `launchMark`, the mark of the worker itself.
 */
export async function killDescendants(worker: ProcessIdentity, launchMark: string): Promise<void> {
  await endMarked([markOf(worker), launchMark]);
}

/** Kills the workers of an earlier daemon and all their descendants; a pid that has been reused is left alone. */
export async function killOrphanedWorkers(workers: ProcessIdentity[]): Promise<void> {
  for (const worker of workers) signalProcess(worker, "SIGKILL", { group: true });
  await endMarked(workers.map((worker) => markOf(worker)));
}

/** Tools that only read and write files. */
const fileTools = new Set<string>(["read_file", "write_file", "edit_file", "list_files", "skill"]);

/**
 * Whether a worker with this spec can start processes at all. Finding descendants means reading the environment of
 * every process; turns that cannot start one skip that.
 */
export function canStartProcesses(spec: WorkerSpec): boolean {
  if (spec.kind === "shell" || spec.definition.backend !== "mock") return true;
  const { tools, mcp_servers: servers, skills } = spec.definition;
  const fetches = skills !== false && skills.some((skill) => !/^[./~]/.test(skill));
  return fetches || tools.some((tool) => !fileTools.has(tool)) || Object.keys(servers).length > 0;
}
