/** Schedules: as written by people, as stored, and as reported by the APIs. */
import { z } from "zod";

const scheduleChars = 200;
const Text = z.string().min(1).max(scheduleChars);

/** An interval such as `5m`, a cron expression, or a cron expression with its time zone. */
export const ScheduleInput = z.union([Text, z.strictObject({ cron: Text, timezone: Text.optional() })]);
export type ScheduleInput = z.infer<typeof ScheduleInput>;

/** A schedule with its time zone, so that it does not depend on where the daemon runs next. */
export const Schedule = z.union([
  z.object({ interval: z.string() }),
  z.object({ cron: z.string(), timezone: z.string() }),
]);
export type Schedule = z.infer<typeof Schedule>;

export const ScheduleInfo = z.object({
  agent: z.string(),
  /** The agent's full target. */
  target: z.string(),
  schedule: Schedule,
  /** The message that the agent receives; null for the default text. */
  prompt: z.string().nullable(),
  /** The next slot; it fires only while `active`. */
  nextAt: z.number().nullable(),
  /** The last slot that was used. */
  lastAt: z.number().nullable(),
  /** Whether the schedule fires: the workflow was started with `start`, and neither it nor the agent is stopped. */
  active: z.boolean(),
});
export type ScheduleInfo = z.infer<typeof ScheduleInfo>;
