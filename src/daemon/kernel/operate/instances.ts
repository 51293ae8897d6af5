/** Lists, starts, stops, resumes and removes instances for people. */
import { AppError } from "../../../protocol/error.ts";
import type { ResumeResponse, StartResponse, StopResponse } from "../../../protocol/http/workflows.ts";
import type { WorkflowInfo } from "../../../protocol/instance.ts";
import { formatTarget } from "../../../protocol/target.ts";
import type { Instance } from "../../store/data.ts";
import type { Kernel } from "../kernel.ts";
import type { StartWorkflow } from "../runs/runs.ts";
import { resume } from "./control.ts";

export async function listInstances({ store }: Pick<Kernel, "store">): Promise<WorkflowInfo[]> {
  const infos: WorkflowInfo[] = [];
  for (const { id } of await store.instances()) infos.push(await store.workflowInfo(id));
  return infos;
}

export function describeInstance({ store }: Pick<Kernel, "store">, instance: Instance): Promise<WorkflowInfo> {
  return store.workflowInfo(instance.id);
}

/** Starts a workflow that keeps running until it is stopped. */
export async function startInstance(
  { store, runs }: Pick<Kernel, "store" | "runs">,
  request: StartWorkflow,
): Promise<StartResponse> {
  const { instance, leftover, cursor } = await runs.start(request, "start");
  return { workflow: await store.workflowInfo(instance.id), leftover, cursor };
}

/** Starts a stopped instance again, or one whose run has ended; it keeps running. */
export async function startInstanceAgain(
  { store, runs }: Pick<Kernel, "store" | "runs">,
  instance: Instance,
  env?: Record<string, string>,
): Promise<StartResponse> {
  if (instance.state === "running" && instance.mode === "run") throw alreadyRunning(instance);
  const { cursor } = await runs.startAgain(instance, env);
  return { workflow: await store.workflowInfo(instance.id), leftover: 0, cursor };
}

/** Resumes parked work, of all agents or of one. */
export async function resumeInstance(
  kernel: Kernel,
  instance: Instance,
  agent: string | null,
  env?: Record<string, string>,
): Promise<ResumeResponse> {
  const { changed, cursor } = await resume(kernel, instance, { agent: agent ?? undefined }, env);
  return { workflow: await kernel.store.workflowInfo(instance.id), leftover: 0, cursor, changed };
}

/** Ends its run and its workers; open work is parked. */
export async function stopInstance(
  { store, runs }: Pick<Kernel, "store" | "runs">,
  instance: Instance,
): Promise<StopResponse> {
  const stopped = await runs.stop(instance);
  return { stopped, workflow: await store.workflowInfo(instance.id) };
}

/** Stops an instance and removes everything stored about it. Its files stay on disk. */
export async function purgeInstance(kernel: Kernel, instance: Instance): Promise<StopResponse> {
  const { store, projections, environments, openDocuments } = kernel;
  const answer = await stopInstance(kernel, instance);
  // First, so that the removal does not change its files.
  projections.forget(instance.id);
  await store.removeInstance(instance.id);
  environments.forget(instance.id);
  openDocuments.forget(instance.id);
  return answer;
}

/** A running `run` cannot be turned into a `start`. */
function alreadyRunning({ name, tag }: Instance): AppError {
  const target = formatTarget({ workflow: name, tag });
  return new AppError("already-running", `${target} is already running and ends when its work is done`, {
    hint: "to keep it running, start it after this run has ended",
    actions: [{ do: "attach", target }],
  });
}
