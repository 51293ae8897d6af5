/** Schedules: how people write them, how they are kept, and what is told of them. */
import { z } from "zod";

const scheduleChars = 200;
const Text = z.string().min(1).max(scheduleChars);

/** An interval such as `5m`, a cron expression, or one with its time zone. */
export const ScheduleInput = z.union([Text, z.strictObject({ cron: Text, timezone: Text.optional() })]);
export type ScheduleInput = z.infer<typeof ScheduleInput>;

/** A schedule whose time zone is known, so that it means the same wherever the next daemon is started. */
export const Schedule = z.union([
  z.object({ interval: z.string() }),
  z.object({ cron: z.string(), timezone: z.string() }),
]);
export type Schedule = z.infer<typeof Schedule>;

export const ScheduleInfo = z.object({
  agent: z.string(),
  /** The agent's full target, as people write it. */
  target: z.string(),
  schedule: Schedule,
  /** What the agent is told; null: the usual words. */
  prompt: z.string().nullable(),
  /** The slot that comes next; it fires only while `active`. */
  nextAt: z.number().nullable(),
  /** The slot that was last used. */
  lastAt: z.number().nullable(),
  /** Whether agent and workflow are started: `run`s and what is stopped fire nothing. */
  active: z.boolean(),
});
export type ScheduleInfo = z.infer<typeof ScheduleInfo>;
