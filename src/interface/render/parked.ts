/** Work that does not go on now: what is said of it, and the command that sets it free. */
import type { ParkReason } from "../../protocol/delivery.ts";
import type { EventOf } from "../../protocol/event.ts";
import type { AgentInfo, WorkflowInfo } from "../../protocol/instance.ts";
import { printable } from "../../text/terminal.ts";
import { formatDuration, formatMoment } from "./time.ts";

/** What waits for a person is parked; what goes on by itself is held until then. */
export function describeParked({ until }: EventOf<"work-parked">["data"]): string {
  return until === undefined ? "parked" : `held until ${formatMoment(until)}`;
}

/** What a usage limit holds: until when, how long that is, and what the provider said. */
export function describeHeld({ until, reason }: NonNullable<AgentInfo["held"]>, now: number): string {
  const left = formatDuration(Math.max(0, until - now));
  return `until ${formatMoment(until)}, ${left} from now, by a usage limit: ${printable(reason).trim()}`;
}

/** It depends on what was stopped. */
export function commandToFree(workflow: WorkflowInfo, agent: string, kind: ParkReason): string {
  const owner = workflow.agents.find(({ name }) => name === agent);
  if (owner?.state === "stopped") return `agent-worker start ${owner.target}`;
  // A persistent workflow should stay alive again; a run only has to come to its end.
  const stopped = kind === "stopped" || kind === "not-running";
  return `agent-worker ${stopped && workflow.mode === "start" ? "start" : "resume"} ${workflow.target}`;
}
