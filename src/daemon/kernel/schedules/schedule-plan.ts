/** Turns schedules from files and people into what the store keeps. */
import type { AgentInput } from "../../../protocol/definition/agent-definition.ts";
import type { WorkflowInput } from "../../../protocol/definition/definition.ts";
import type { ScheduleInput } from "../../../protocol/schedule.ts";
import { isTimezone, nextSlot, resolveSchedule } from "../../../workflow/schedule.ts";
import type { NewSchedule } from "../../store/data.ts";

type Moment = { env: Record<string, string>; now: number };

/** The schedules of a workflow: each agent's own, or the workflow's by default. */
export function planSchedules({ agents, schedule }: WorkflowInput, moment: Moment): NewSchedule[] {
  return Object.entries(agents).flatMap(
    ([name, agent]) => planAgentSchedule(name, { ...agent, schedule: agent.schedule ?? schedule }, moment) ?? [],
  );
}

/** The schedule of an agent's definition, if it has one. */
export function planAgentSchedule(
  agent: string,
  { schedule, schedule_prompt: prompt }: Pick<AgentInput, "schedule" | "schedule_prompt">,
  moment: Moment,
): NewSchedule | undefined {
  return schedule === undefined ? undefined : planSchedule(agent, { schedule, prompt }, moment);
}

/** The first slot is after now. */
export function planSchedule(
  agent: string,
  { schedule, prompt }: { schedule: ScheduleInput; prompt?: string | undefined },
  { env, now }: Moment,
): NewSchedule {
  const resolved = resolveSchedule(schedule, timezoneOf(env));
  return { agent, schedule: resolved, prompt: prompt ?? null, nextAt: nextSlot(resolved, null, now) };
}

/** Default time zone of a cron expression: the caller's `TZ`, or the machine's. */
function timezoneOf({ TZ }: Record<string, string>): string {
  return TZ && isTimezone(TZ) ? TZ : Intl.DateTimeFormat().resolvedOptions().timeZone;
}
