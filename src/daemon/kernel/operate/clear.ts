/** Clears an instance's history: messages, resources, versions, and documents that no person has edited since. */
import { existsSync } from "node:fs";
import type { ClearResponse } from "../../../protocol/http/history.ts";
import type { Instance } from "../../store/data.ts";
import type { Kernel } from "../kernel.ts";

/** Removes what a fresh start removes, without starting. Files edited by a person stay on disk. */
export async function clearHistory(
  { store, openDocuments, projections, environments }: Kernel,
  instance: Instance,
): Promise<ClearResponse> {
  const clearFiles =
    instance.definition.context === false ? undefined : await openDocuments.of(instance).prepareClearing();
  const cleared = await store.clearInstance(instance.id);
  openDocuments.forget(instance.id);
  // If the project folder is gone, there are no files to remove.
  if (existsSync(`${instance.project}/.`)) await clearFiles?.();
  if (instance.state !== "running") environments.forget(instance.id);
  projections.forget(instance.id);
  projections.add(instance);
  await projections.flush(instance.id);
  return { ...cleared, workflow: await store.workflowInfo(instance.id) };
}
