/** Tool routes: list agents' tools, add and mock them. */
import type { toolRoutes } from "../../protocol/http/tools.ts";
import type { Operations } from "../kernel/operations.ts";
import { agentOf, type Handlers } from "./handlers.ts";

export function toolHandlers(operations: Operations): Handlers<keyof typeof toolRoutes> {
  return {
    "GET /tools/:target": async ({ instance, agent }) => ({ agents: await operations.listTools(instance, agent) }),
    "PATCH /tools/:target": async ({ body, ...target }) => ({
      agents: await operations.changeTools(target.instance, agentOf(target), body),
    }),
  };
}
