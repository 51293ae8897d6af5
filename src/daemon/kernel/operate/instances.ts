/** Instances for people: listed, started to stay, stopped, started again, resumed, removed. */
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

/** Starts a workflow that stays until it is stopped. */
export async function startInstance(
  { store, runs }: Pick<Kernel, "store" | "runs">,
  request: StartWorkflow,
): Promise<StartResponse> {
  const { instance, leftover, cursor } = await runs.start(request, "start");
  return { workflow: await store.workflowInfo(instance.id), leftover, cursor };
}

/** Undoes a stop, or keeps alive an instance whose run has ended. */
export async function startInstanceAgain(
  { store, runs }: Pick<Kernel, "store" | "runs">,
  instance: Instance,
  env?: Record<string, string>,
): Promise<StartResponse> {
  if (instance.state === "running" && instance.mode === "run") throw alreadyRunning(instance);
  const { cursor } = await runs.startAgain(instance, env);
  return { workflow: await store.workflowInfo(instance.id), leftover: 0, cursor };
}

/** Parked work goes on, all of it or that of one agent. */
export async function resumeInstance(
  kernel: Kernel,
  instance: Instance,
  agent: string | null,
  env?: Record<string, string>,
): Promise<ResumeResponse> {
  const { changed, cursor } = await resume(kernel, instance, { agent: agent ?? undefined }, env);
  return { workflow: await kernel.store.workflowInfo(instance.id), leftover: 0, cursor, changed };
}

/** Ends its run and its workers; open work waits, parked. */
export async function stopInstance(
  { store, runs }: Pick<Kernel, "store" | "runs">,
  instance: Instance,
): Promise<StopResponse> {
  const stopped = await runs.stop(instance);
  return { stopped, workflow: await store.workflowInfo(instance.id) };
}

/** Stops an instance and removes all that is stored of it. Its files stay on disk. */
export async function purgeInstance(kernel: Kernel, instance: Instance): Promise<StopResponse> {
  const { store, projections, environments, shelves } = kernel;
  const answer = await stopInstance(kernel, instance);
  // First, so that its files do not follow the removal.
  projections.forget(instance.id);
  await store.removeWorkflow(instance.id);
  environments.forget(instance.id);
  shelves.forget(instance.id);
  return answer;
}

/** A run that ends by itself is not turned into one that stays. */
function alreadyRunning({ name, tag }: Instance): AppError {
  const target = formatTarget({ workflow: name, tag });
  return new AppError("already-running", `${target} is already running, until its work is done`, {
    hint: "to keep it alive, start it once this run has ended",
    actions: [{ do: "attach", target }],
  });
}
