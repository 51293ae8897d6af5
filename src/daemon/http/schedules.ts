/** Schedules: shown, set and cleared by people. */
import { Hono } from "hono";
import { type ScheduleList, SetScheduleRequest } from "../../protocol/http/bodies.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Env } from "./guard.ts";
import { readAgentTarget, readBody, readTarget } from "./request.ts";

export function scheduleRoutes(kernel: Operations): Hono<Env> {
  return new Hono<Env>()
    .get("/schedules/:target", async (context) => {
      const { instance, agent } = await readTarget(kernel, context);
      return context.json({ schedules: await kernel.listSchedules(instance, agent) } satisfies ScheduleList);
    })
    .put("/schedules/:target", async (context) => {
      const { body } = readBody(context, SetScheduleRequest);
      const { instance, agent } = await readAgentTarget(kernel, context, body);
      return context.json(await kernel.setSchedule(instance, agent, body));
    })
    .delete("/schedules/:target", async (context) => {
      const { instance, agent } = await readTarget(kernel, context);
      return context.json({ schedules: await kernel.clearSchedules(instance, agent) } satisfies ScheduleList);
    });
}
