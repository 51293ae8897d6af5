/** Schedule routes: list, set and clear. */
import type { scheduleRoutes } from "../../protocol/http/schedules.ts";
import type { Operations } from "../kernel/operations.ts";
import { agentOf, type Handlers } from "./handlers.ts";

export function scheduleHandlers(kernel: Operations): Handlers<keyof typeof scheduleRoutes> {
  return {
    "GET /schedules/:target": async ({ instance, agent }) => ({
      schedules: await kernel.listSchedules(instance, agent),
    }),
    "PUT /schedules/:target": ({ body, ...target }) => kernel.setSchedule(target.instance, agentOf(target), body),
    "DELETE /schedules/:target": async ({ instance, agent }) => ({
      schedules: await kernel.clearSchedules(instance, agent),
    }),
  };
}
