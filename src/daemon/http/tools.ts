/** Tools of agents: shown, added and mocked by people. */
import { Hono } from "hono";
import { type AgentToolsList, ChangeToolsRequest } from "../../protocol/http/bodies.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Env } from "./guard.ts";
import { readAgentTarget, readBody, readTarget } from "./request.ts";

export function toolRoutes(kernel: Operations): Hono<Env> {
  return new Hono<Env>()
    .get("/tools/:target", async (context) => {
      const { instance, agent } = await readTarget(kernel, context);
      return context.json({ agents: await kernel.listTools(instance, agent) } satisfies AgentToolsList);
    })
    .patch("/tools/:target", async (context) => {
      const { body } = readBody(context, ChangeToolsRequest);
      const { instance, agent } = await readAgentTarget(kernel, context, body);
      return context.json({ agents: await kernel.changeTools(instance, agent, body) } satisfies AgentToolsList);
    });
}
