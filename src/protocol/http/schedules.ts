/** Schedules: shown, set and cleared by people. */
import { z } from "zod";
import { ScheduleInfo, ScheduleInput } from "../schedule.ts";
import { OriginBody } from "./origin.ts";
import { route } from "./route.ts";

/** `PUT /schedules/:target`. */
export const SetScheduleRequest = OriginBody.extend({
  schedule: ScheduleInput,
  /** What the agent is told each time; what its definition says unless given. */
  prompt: z.string().optional(),
});
export const ScheduleList = z.object({ schedules: z.array(ScheduleInfo) });
export type ScheduleList = z.infer<typeof ScheduleList>;

export const scheduleRoutes = {
  "GET /schedules/:target": route({
    summary: "The schedule of an agent, or all of an instance; none is an empty list.",
    answer: { ScheduleList },
  }),
  "PUT /schedules/:target": route({
    summary: "Gives an agent a schedule in place of the one it had; its first slot comes after now.",
    body: { SetScheduleRequest },
    answer: { ScheduleInfo },
  }),
  "DELETE /schedules/:target": route({
    summary: "Takes the schedule of an agent away, or all of an instance, and answers what there was.",
    answer: { ScheduleList },
  }),
};
