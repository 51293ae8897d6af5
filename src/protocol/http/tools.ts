/** Tools of agents: shown, added and mocked by people. */
import { z } from "zod";
import { AgentTools, ToolingChange } from "../tooling.ts";
import { OriginBody } from "./origin.ts";
import { route } from "./route.ts";

/** `GET` and `PATCH /tools/:target`. */
export const AgentToolsList = z.object({ agents: z.array(AgentTools) });
export const ChangeToolsRequest = OriginBody.extend(ToolingChange.shape);

export const toolRoutes = {
  "GET /tools/:target": route({
    summary: "What an agent can use, or each agent of a workflow. No module is loaded and no server asked.",
    answer: { AgentToolsList },
  }),
  "PATCH /tools/:target": route({
    summary:
      "Adds tools to an agent, has tools answer a fixed value, or takes that back; from its next turn on, until the workflow file is started anew.",
    body: { ChangeToolsRequest },
    answer: { AgentToolsList },
  }),
};
