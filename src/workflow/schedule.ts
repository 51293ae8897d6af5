/** Intervals and cron expressions: checks them and computes when they fire. The time is always passed in. */
import { Cron } from "croner";
import { Duration } from "../protocol/definition/duration.ts";
import type { Schedule, ScheduleInput } from "../protocol/schedule.ts";

/** A shorter interval would be a busy loop, not a schedule. */
const minIntervalMs = 50;
/** An arbitrary day: an expression that never fires after it never fires at all, because cron expressions have no years. */
const someDay = new Date(Date.UTC(2000, 0, 1));
const forms = "write an interval such as 5m, or a cron expression such as 0 9 * * 1-5";

/** `key` is the key with the mistake, if the schedule is a map. */
export type ScheduleProblem = { message: string; hint: string; key: "cron" | "timezone" };

/** Why this is not a valid schedule; undefined if it is. */
export function scheduleProblem(input: ScheduleInput): ScheduleProblem | undefined {
  if (typeof input === "string" && !isCron(input)) return intervalProblem(input);
  const { cron, timezone } = typeof input === "string" ? { cron: input } : input;
  if (timezone !== undefined && !isTimezone(timezone)) {
    const hint = "write its name, such as Europe/Berlin or UTC";
    return { message: `unknown time zone '${timezone}'`, hint, key: "timezone" };
  }
  const problem = (what: string, hint: string): ScheduleProblem => ({ message: what, hint, key: "cron" });
  if (!isCron(cron)) return problem(`'${cron}' is not a cron expression`, "write one such as 0 9 * * 1-5, or @daily");
  try {
    if (read(cron, "UTC").nextRun(someDay) !== null) return undefined;
    return problem(`the cron expression '${cron}' never fires`, "no year has such a day");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^CronPattern: /, "") : String(cause);
    return problem(
      `the cron expression '${cron}' is not valid: ${reason}`,
      "its fields are minute hour day month weekday",
    );
  }
}

/** Resolves a valid schedule, with its own time zone or else with `timezone`. */
export function resolveSchedule(input: ScheduleInput, timezone: string): Schedule {
  if (typeof input !== "string") return { cron: input.cron, timezone: input.timezone ?? timezone };
  return isCron(input) ? { cron: input, timezone } : { interval: input };
}

/**
 * The first slot that is after now and after `last`; null if there is none. An interval counts from the last slot, or
 * from now if the clock was set back, because an interval is not tied to a time of day.
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
  if (parsed.data >= minIntervalMs) return undefined;
  return { message: `an interval is at least ${minIntervalMs}ms`, hint: forms, key: "cron" };
}

function read(expression: string, timezone: string): Cron {
  return new Cron(expression.trim(), { timezone, mode: "5-or-6-parts" });
}
