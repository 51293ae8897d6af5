/** Clearing an instance's history: messages, resources, versions, and the documents that are as the team left them. */
import { existsSync } from "node:fs";
import type { ClearResponse } from "../../../protocol/http/history.ts";
import type { Instance } from "../../store/data.ts";
import type { Kernel } from "../kernel.ts";

/** The same that a fresh start forgets, without a start. What somebody has edited since stays on disk. */
export async function clearHistory(
  { store, shelves, projections, environments }: Kernel,
  instance: Instance,
): Promise<ClearResponse> {
  const clearFiles = instance.definition.context === false ? undefined : await shelves.of(instance).prepareClearing();
  const cleared = await store.clearWorkflow(instance.id);
  shelves.forget(instance.id);
  // Where the project is gone, nothing is left to clear away.
  if (existsSync(`${instance.project}/.`)) await clearFiles?.();
  if (instance.state !== "running") environments.forget(instance.id);
  projections.forget(instance.id);
  projections.follow(instance);
  await projections.flush(instance.id);
  return { ...cleared, workflow: await store.workflowInfo(instance.id) };
}
