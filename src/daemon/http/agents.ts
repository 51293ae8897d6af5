/** Agent routes: list, create standalone agents, stop and start, remove. */
import type { agentRoutes } from "../../protocol/http/agents.ts";
import type { Operations } from "../kernel/operations.ts";
import { agentOf, type Handlers } from "./handlers.ts";

export function agentHandlers(operations: Operations): Handlers<keyof typeof agentRoutes> {
  return {
    "GET /agents": async () => ({ agents: await operations.listAgents() }),
    "POST /agents": ({ body, raw }) => operations.createAgent({ ...body, definition: raw.definition }),
    "GET /agents/:target": (target) => operations.describeAgent(target.instance, agentOf(target)),
    "PATCH /agents/:target": ({ body, ...target }) => operations.changeAgent(target.instance, agentOf(target), body),
    "DELETE /agents/:target": (target) => operations.removeAgent(target.instance, agentOf(target)),
  };
}
