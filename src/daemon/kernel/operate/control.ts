/** What people do to agents and waiting work: stop, start, redrive, resume, discard. */
import type { Delivery } from "../../../protocol/delivery.ts";
import type { DeliveryFilter, Freed, Instance } from "../../store/data.ts";
import type { Kernel } from "../kernel.ts";

export async function stopAgent(kernel: Kernel, instance: Instance, agent: string): Promise<void> {
  await kernel.store.setStopped(instance.id, agent, true);
  await kernel.scheduler.interrupt(instance.id, agent);
  kernel.runs.closeIfQuiescent(instance.id);
}

/** Starts a stopped agent. If its run has ended, the run resumes with the work the agent was owed. */
export async function startAgent(
  kernel: Kernel,
  instance: Instance,
  agent: string,
  env?: Record<string, string>,
): Promise<void> {
  kernel.environments.set(instance.id, env);
  const { wake } = await kernel.store.setStopped(instance.id, agent, false);
  for (const name of wake) kernel.wake(instance.id, name);
  if (instance.state === "ended") await resume(kernel, instance, { agent }, env);
  kernel.schedules.checkDue();
}

/** Retries dead letters; their attempts count from zero again. */
export async function redrive({ store, runs }: Kernel, instance: Instance, filter: DeliveryFilter): Promise<Freed> {
  const freed = await store.redrive(instance.id, filter);
  runs.resumeWork(freed.instance, freed.wake);
  return freed;
}

/** Resumes parked work. */
export async function resume(
  { store, runs, environments, usageLimits }: Kernel,
  instance: Instance,
  filter: DeliveryFilter,
  env?: Record<string, string>,
): Promise<Freed> {
  environments.set(instance.id, env);
  usageLimits.forget();
  const freed = await store.resume(instance.id, filter);
  runs.resumeWork(freed.instance, freed.wake);
  return freed;
}

export async function discard(
  { store, runs }: Kernel,
  instance: Instance,
  filter: DeliveryFilter & { messages: string[] },
): Promise<Delivery[]> {
  const changed = await store.discard(instance.id, filter);
  runs.closeIfQuiescent(instance.id);
  return changed;
}
