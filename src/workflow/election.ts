/** Whether a workflow's agents elect the owner of their documents before they begin. */
import type { WorkflowInput } from "../protocol/definition/definition.ts";

export const electKeyword = "elect";

/** An agent of that name is meant itself; and who is alone owns nothing that anybody else could write. */
export function electsOwner({ context, agents }: Pick<WorkflowInput, "context" | "agents">): boolean {
  if (!context || context.documentOwner !== electKeyword) return false;
  const names = Object.keys(agents).map((name) => name.toLowerCase());
  return names.length > 1 && !names.includes(electKeyword);
}
