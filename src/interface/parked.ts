/** The command that sets parked work free: it depends on what was stopped. */
import type { ParkReason } from "../protocol/delivery.ts";
import type { WorkflowInfo } from "../protocol/instance.ts";

export function commandToFree(workflow: WorkflowInfo, agent: string, kind: ParkReason): string {
  const owner = workflow.agents.find(({ name }) => name === agent);
  if (owner?.state === "stopped") return `agent-worker start ${owner.target}`;
  // A persistent workflow should stay alive again; a run only has to come to its end.
  const stopped = kind === "stopped" || kind === "not-running";
  return `agent-worker ${stopped && workflow.mode === "start" ? "start" : "resume"} ${workflow.target}`;
}
