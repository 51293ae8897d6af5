/** Agents: listed, created standalone, stopped and started, removed. */
import { z } from "zod";
import { AgentDefinition } from "../definition/agent-definition.ts";
import { AgentInfo } from "../instance.ts";
import { Environment, OriginBody } from "./origin.ts";
import { route } from "./route.ts";

/** `POST /agents`: a standalone agent. */
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
    summary: "The agents of all workflows, and those that stand alone.",
    answer: { AgentList },
  }),
  "POST /agents": route({
    summary: "Creates an agent that stands alone.",
    body: { CreateAgentRequest },
    answer: { AgentInfo },
    status: 201,
  }),
  "GET /agents/:target": route({ summary: "One agent.", answer: { AgentInfo } }),
  "PATCH /agents/:target": route({
    summary: "Stops an agent, which parks what it is owed, or lets it go on.",
    body: { UpdateAgentRequest },
    answer: { AgentInfo },
  }),
  "DELETE /agents/:target": route({
    summary: "Removes an agent that stands alone; what it was still owed is discarded.",
    answer: { AgentInfo },
  }),
};
