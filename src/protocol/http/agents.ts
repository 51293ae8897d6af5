/** Routes of agents: list them, create and remove standalone ones, stop and start them. */
import { z } from "zod";
import { AgentDefinition } from "../definition/agent-definition.ts";
import { AgentInfo } from "../instance.ts";
import { Environment, OriginBody } from "./origin.ts";
import { route } from "./route.ts";

/** `POST /agents`: creates a standalone agent. */
export const CreateAgentRequest = z.strictObject({
  name: z.string(),
  definition: AgentDefinition,
  cwd: z.string().min(1),
  env: Environment.default({}),
});

/** `PATCH /agents/:target`. */
export const UpdateAgentRequest = OriginBody.extend({ stopped: z.boolean(), env: Environment.optional() });

export const AgentList = z.object({ agents: z.array(AgentInfo) });
export type AgentList = z.infer<typeof AgentList>;

export const agentRoutes = {
  "GET /agents": route({
    summary: "Lists the agents of all workflows and the standalone agents.",
    response: { AgentList },
  }),
  "POST /agents": route({
    summary: "Creates a standalone agent.",
    body: { CreateAgentRequest },
    response: { AgentInfo },
    status: 201,
  }),
  "GET /agents/:target": route({ summary: "Returns one agent.", response: { AgentInfo } }),
  "PATCH /agents/:target": route({
    summary: "Stops an agent, which parks its deliveries, or starts it again.",
    body: { UpdateAgentRequest },
    response: { AgentInfo },
  }),
  "DELETE /agents/:target": route({
    summary: "Removes a standalone agent and discards its deliveries.",
    response: { AgentInfo },
  }),
};
