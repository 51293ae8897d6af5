/** Routes of schedules: list, set and remove them. */
import { z } from "zod";
import { ScheduleInfo, ScheduleInput } from "../schedule.ts";
import { OriginBody } from "./origin.ts";
import { route } from "./route.ts";

/** `PUT /schedules/:target`. */
export const SetScheduleRequest = OriginBody.extend({
  schedule: ScheduleInput,
  /** The message that the agent receives each time. Default: its `schedule_prompt`. */
  prompt: z.string().optional(),
});
export const ScheduleList = z.object({ schedules: z.array(ScheduleInfo) });
export type ScheduleList = z.infer<typeof ScheduleList>;

export const scheduleRoutes = {
  "GET /schedules/:target": route({
    summary: "Lists the schedule of an agent, or all schedules of an instance; the list can be empty.",
    response: { ScheduleList },
  }),
  "PUT /schedules/:target": route({
    summary: "Sets an agent's schedule, replacing the one it had; the first slot is the next one from now.",
    body: { SetScheduleRequest },
    response: { ScheduleInfo },
  }),
  "DELETE /schedules/:target": route({
    summary: "Removes the schedule of an agent, or all schedules of an instance, and returns what was removed.",
    response: { ScheduleList },
  }),
};
