/** Ends what a worker has left behind: processes that escaped its group, or that outlived their daemon. */
import { endMarked, markOf, type ProcessIdentity, signalProcess } from "../../system/process.ts";
import type { WorkerSpec } from "../../protocol/worker/worker-input.ts";

/**
 * Kills all that descends from the worker, whatever group or session it is in. A child that is just being started
 * still bears `launchMark`, the worker's own.
 */
export async function endStrays(worker: ProcessIdentity, launchMark: string): Promise<void> {
  await endMarked([markOf(worker), launchMark]);
}

/** Kills the workers of an earlier daemon and all that descends from them; a pid that is another process by now is left alone. */
export async function endOrphans(workers: ProcessIdentity[]): Promise<void> {
  for (const worker of workers) signalProcess(worker, "SIGKILL", { group: true });
  await endMarked(workers.map((worker) => markOf(worker)));
}

/** Tools that only touch files. */
const quietTools = new Set<string>(["read_file", "write_file", "edit_file", "list_files", "skill"]);

/**
 * Whether a worker with this spec can have started processes at all. Looking for strays reads every process's
 * environment; a turn that has no way to start one is spared that.
 */
export function mayStartProcesses(spec: WorkerSpec): boolean {
  if (spec.kind === "shell" || spec.definition.backend !== "mock") return true;
  const { tools, mcp_servers: servers, skills } = spec.definition;
  const fetches = skills !== false && skills.some((skill) => !/^[./~]/.test(skill));
  return fetches || tools.some((tool) => !quietTools.has(tool)) || Object.keys(servers).length > 0;
}
