/** Schedules: shown, set and cleared by people. */
import { Hono } from "hono";
import { type ScheduleList, SetScheduleRequest } from "../../protocol/http/schedules.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { describeSchedule, setSchedule } from "../kernel/schedules/set-schedule.ts";
import type { Env } from "./guard.ts";
import { readAgentTarget, readBody, readTarget } from "./request.ts";

export function scheduleRoutes(kernel: Kernel): Hono<Env> {
  const { store } = kernel;
  return new Hono<Env>()
    .get("/schedules/:target", async (context) => {
      const { instance, agent } = await readTarget(kernel, context);
      const found = (await store.schedules(instance.id)).filter((each) => agent === null || each.agent === agent);
      const schedules = found.map((each) => describeSchedule(instance, each));
      return context.json({ schedules } satisfies ScheduleList);
    })
    .put("/schedules/:target", async (context) => {
      const { body } = readBody(context, SetScheduleRequest);
      const { instance, agent } = await readAgentTarget(kernel, context, body);
      return context.json(await setSchedule(kernel, instance, agent, body));
    })
    .delete("/schedules/:target", async (context) => {
      const { instance, agent } = await readTarget(kernel, context);
      const cleared = await store.clearSchedules(instance.id, agent);
      const schedules = cleared.map((each) => describeSchedule(instance, each));
      return context.json({ schedules } satisfies ScheduleList);
    });
}
