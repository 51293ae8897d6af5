/** Describes parked and held work, and the command that resumes it. */
import type { ParkReason } from "../../protocol/delivery.ts";
import type { EventOf } from "../../protocol/event.ts";
import type { AgentInfo, WorkflowInfo } from "../../protocol/instance.ts";
import { printable } from "../../text/terminal.ts";
import { formatDuration, formatMoment } from "./time.ts";

/** Work that waits for a person is parked; work that resumes by itself is held until a time. */
export function describeParked({ until }: EventOf<"work-parked">["data"]): string {
  return until === undefined ? "parked" : `held until ${formatMoment(until)}`;
}

/** Work held by a usage limit: until when, how long that is, and the provider's message. */
export function describeHeld({ until, reason }: NonNullable<AgentInfo["held"]>, now: number): string {
  const left = formatDuration(Math.max(0, until - now));
  return `until ${formatMoment(until)}, ${left} from now, by a usage limit: ${printable(reason).trim()}`;
}

/** The command that resumes parked work; it depends on what was stopped. */
export function commandToResume(workflow: WorkflowInfo, agent: string, kind: ParkReason): string {
  const owner = workflow.agents.find(({ name }) => name === agent);
  if (owner?.state === "stopped") return `agent-worker start ${owner.target}`;
  // A started workflow should keep running again; a run only has to reach its end.
  const stopped = kind === "stopped" || kind === "not-running";
  return `agent-worker ${stopped && workflow.mode === "start" ? "start" : "resume"} ${workflow.target}`;
}
