/** When a schedule fires: intervals and cron expressions, read, checked and counted. Time is always passed in. */
import { Cron } from "croner";
import { Duration } from "../protocol/definition/duration.ts";
import type { Schedule, ScheduleInput } from "../protocol/schedule.ts";

/** Shorter intervals would be a loop and not a schedule. */
const leastIntervalMs = 50;
/** Any day: what never fires after it never fires at all, since cron expressions name no years. */
const someDay = new Date(Date.UTC(2000, 0, 1));
const forms = "write an interval such as 5m, or a cron expression such as 0 9 * * 1-5";

/** `key` is where the mistake lies in a schedule that is a map. */
export type ScheduleProblem = { message: string; hint: string; key: "cron" | "timezone" };

/** Why this is not a schedule, or undefined when it is one. */
export function scheduleProblem(input: ScheduleInput): ScheduleProblem | undefined {
  if (typeof input === "string" && !isCron(input)) return intervalProblem(input);
  const { cron, timezone } = typeof input === "string" ? { cron: input } : input;
  if (timezone !== undefined && !isTimezone(timezone)) {
    const hint = "write its name, such as Europe/Berlin or UTC";
    return { message: `unknown time zone '${timezone}'`, hint, key: "timezone" };
  }
  const problem = (what: string, hint: string): ScheduleProblem => ({ message: what, hint, key: "cron" });
  if (!isCron(cron)) return problem(`'${cron}' is not a cron expression`, "such as 0 9 * * 1-5, or @daily");
  try {
    if (read(cron, "UTC").nextRun(someDay) !== null) return undefined;
    return problem(`the cron expression '${cron}' never fires`, "there is no such day in any year");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^CronPattern: /, "") : String(cause);
    return problem(`the cron expression '${cron}' is wrong: ${reason}`, "minute hour day month weekday");
  }
}

/** A schedule that was found to be one, in its time zone or else in `timezone`. */
export function resolveSchedule(input: ScheduleInput, timezone: string): Schedule {
  if (typeof input !== "string") return { cron: input.cron, timezone: input.timezone ?? timezone };
  return isCron(input) ? { cron: input, timezone } : { interval: input };
}

/**
 * The first slot after now, of those that come after `last`; null when there is none. An interval counts from the last
 * slot; after a clock that was set back, from now, since it names no time of day.
 */
export function nextSlot(schedule: Schedule, last: number | null, now: number): number | null {
  if ("cron" in schedule) {
    const after = new Date(Math.max(now, last ?? now));
    return read(schedule.cron, schedule.timezone).nextRun(after)?.getTime() ?? null;
  }
  const every = Duration.parse(schedule.interval);
  if (last === null || last > now) return now + every;
  return last + every * (Math.floor((now - last) / every) + 1);
}

export function isTimezone(name: string): boolean {
  try {
    return Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** Five or six fields, or a nickname such as `@daily`. */
function isCron(text: string): boolean {
  return /^(@[a-z]+|\S+(\s+\S+){4,5})$/i.test(text.trim());
}

function intervalProblem(text: string): ScheduleProblem | undefined {
  const parsed = Duration.safeParse(text);
  if (!parsed.success) {
    const tooLong = /^[\d.]+(ms|s|m|h|d)$/.test(text);
    const message = tooLong ? "an interval is at most 30d" : `'${text}' is not a schedule`;
    return { message, hint: forms, key: "cron" };
  }
  if (parsed.data >= leastIntervalMs) return undefined;
  return { message: `an interval is at least ${leastIntervalMs}ms`, hint: forms, key: "cron" };
}

function read(expression: string, timezone: string): Cron {
  return new Cron(expression.trim(), { timezone, mode: "5-or-6-parts" });
}
