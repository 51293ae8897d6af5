/** Whether a workflow's agents elect the document owner before they start to work. */
import type { WorkflowInput } from "../protocol/definition/definition.ts";

export const electKeyword = "elect";

/** No election if an agent has that name, which then is the owner, or if there is only one agent. */
export function electsOwner({ context, agents }: Pick<WorkflowInput, "context" | "agents">): boolean {
  if (!context || context.documentOwner !== electKeyword) return false;
  const names = Object.keys(agents).map((name) => name.toLowerCase());
  return names.length > 1 && !names.includes(electKeyword);
}
