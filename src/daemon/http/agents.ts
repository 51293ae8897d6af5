/** Agent routes: list, create standalone agents, stop and start, remove. */
import type { agentRoutes } from "../../protocol/http/agents.ts";
import type { Operations } from "../kernel/operations.ts";
import { agentOf, type Handlers } from "./handlers.ts";

export function agentHandlers(kernel: Operations): Handlers<keyof typeof agentRoutes> {
  return {
    "GET /agents": async () => ({ agents: await kernel.listAgents() }),
    "POST /agents": ({ body, raw }) => kernel.createAgent({ ...body, definition: raw.definition }),
    "GET /agents/:target": (target) => kernel.describeAgent(target.instance, agentOf(target)),
    "PATCH /agents/:target": ({ body, ...target }) => kernel.changeAgent(target.instance, agentOf(target), body),
    "DELETE /agents/:target": (target) => kernel.removeAgent(target.instance, agentOf(target)),
  };
}
