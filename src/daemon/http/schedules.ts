/** Schedule routes: list, set and clear. */
import type { scheduleRoutes } from "../../protocol/http/schedules.ts";
import type { Operations } from "../kernel/operations.ts";
import { agentOf, type Handlers } from "./handlers.ts";

export function scheduleHandlers(operations: Operations): Handlers<keyof typeof scheduleRoutes> {
  return {
    "GET /schedules/:target": async ({ instance, agent }) => ({
      schedules: await operations.listSchedules(instance, agent),
    }),
    "PUT /schedules/:target": ({ body, ...target }) => operations.setSchedule(target.instance, agentOf(target), body),
    "DELETE /schedules/:target": async ({ instance, agent }) => ({
      schedules: await operations.clearSchedules(instance, agent),
    }),
  };
}
