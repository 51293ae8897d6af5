/** Schedules as files and people give them, made into what the store keeps. */
import type { AgentInput, WorkflowInput } from "../../protocol/definition.ts";
import { isTimezone, nextSlot, resolveSchedule } from "../../workflow/schedule.ts";
import type { NewSchedule } from "../store/store.ts";

type Moment = { env: Record<string, string>; now: number };

/** The schedules of a workflow: each agent's own, or else the workflow's. */
export function plannedSchedules({ agents, schedule }: WorkflowInput, moment: Moment): NewSchedule[] {
  return Object.entries(agents).flatMap(([name, agent]) => {
    const planned = plannedSchedule(name, { schedule, ...agent }, moment);
    return planned ? [planned] : [];
  });
}

/** The schedule of one agent, if it has one; its first slot comes after now. */
export function plannedSchedule(
  agent: string,
  definition: Pick<AgentInput, "schedule" | "schedule_prompt">,
  { env, now }: Moment,
): NewSchedule | undefined {
  if (definition.schedule === undefined) return undefined;
  const schedule = resolveSchedule(definition.schedule, timezoneOf(env));
  return { agent, schedule, prompt: definition.schedule_prompt ?? null, nextAt: nextSlot(schedule, null, now) };
}

/** A cron expression without a time zone means the caller's: `TZ`, or else the machine's. */
function timezoneOf({ TZ }: Record<string, string>): string {
  return TZ && isTimezone(TZ) ? TZ : Intl.DateTimeFormat().resolvedOptions().timeZone;
}
