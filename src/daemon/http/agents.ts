/** Agents: listed, created standalone, stopped and started, removed. */
import { Hono } from "hono";
import { type AgentList, CreateAgentRequest, UpdateAgentRequest } from "../../protocol/http/bodies.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Env } from "./guard.ts";
import { readAgentTarget, readBody } from "./request.ts";

export function agentRoutes(kernel: Operations): Hono<Env> {
  return new Hono<Env>()
    .get("/agents", async (context) => context.json({ agents: await kernel.listAgents() } satisfies AgentList))
    .post("/agents", async (context) => {
      const { body, raw } = readBody(context, CreateAgentRequest);
      return context.json(await kernel.createAgent({ ...body, definition: raw.definition }), 201);
    })
    .get("/agents/:target", async (context) => {
      const { instance, agent } = await readAgentTarget(kernel, context);
      return context.json(await kernel.describeAgent(instance, agent));
    })
    .patch("/agents/:target", async (context) => {
      const { body } = readBody(context, UpdateAgentRequest);
      const { instance, agent } = await readAgentTarget(kernel, context, body);
      return context.json(await kernel.changeAgent(instance, agent, body));
    })
    .delete("/agents/:target", async (context) => {
      const { instance, agent } = await readAgentTarget(kernel, context);
      return context.json(await kernel.removeAgent(instance, agent));
    });
}
