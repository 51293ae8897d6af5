/** Routes of agents' tools: list them, add and mock them. */
import { z } from "zod";
import { AgentTools, ToolingChange } from "../tooling.ts";
import { OriginBody } from "./origin.ts";
import { route } from "./route.ts";

/** `GET` and `PATCH /tools/:target`. */
export const AgentToolsList = z.object({ agents: z.array(AgentTools) });
export const ChangeToolsRequest = OriginBody.extend(ToolingChange.shape);

export const toolRoutes = {
  "GET /tools/:target": route({
    summary:
      "Lists the tools of an agent, or of each agent of a workflow, without loading modules or connecting to servers.",
    response: { AgentToolsList },
  }),
  "PATCH /tools/:target": route({
    summary:
      "Adds tools to an agent, mocks tools with a fixed result, or undoes that. Applies from its next turn until the workflow file is started again.",
    body: { ChangeToolsRequest },
    response: { AgentToolsList },
  }),
};
