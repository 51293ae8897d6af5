/** Agents: listed, created standalone, stopped and started, removed. */
import { Hono } from "hono";
import { AppError } from "../../protocol/error.ts";
import { type AgentList, CreateAgentRequest, UpdateAgentRequest } from "../../protocol/http/agents.ts";
import type { AgentInfo } from "../../protocol/instance.ts";
import { startAgent, stopAgent } from "../kernel/operate/control.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { createAgent, removeAgent } from "../kernel/operate/standalone.ts";
import type { Env } from "./guard.ts";
import { readAgentTarget, readBody } from "./request.ts";

export function agentRoutes(kernel: Kernel): Hono<Env> {
  const { store } = kernel;

  async function describe(workflow: string, agent: string): Promise<AgentInfo> {
    const info = (await store.agentInfos(workflow)).find(({ name }) => name.toLowerCase() === agent.toLowerCase());
    if (!info) throw new AppError("not-found", `there is no agent ${agent}`);
    return info;
  }

  return new Hono<Env>()
    .get("/agents", async (context) => {
      const agents: AgentInfo[] = [];
      for (const { id } of await store.instances()) agents.push(...(await store.agentInfos(id)));
      return context.json({ agents } satisfies AgentList);
    })
    .post("/agents", async (context) => {
      const { body, raw } = readBody(context, CreateAgentRequest);
      const instance = await createAgent(kernel, { ...body, definition: raw.definition });
      return context.json(await describe(instance.id, body.name), 201);
    })
    .get("/agents/:target", async (context) => {
      const { instance, agent } = await readAgentTarget(kernel, context);
      return context.json(await describe(instance.id, agent));
    })
    .patch("/agents/:target", async (context) => {
      const { body } = readBody(context, UpdateAgentRequest);
      const { instance, agent } = await readAgentTarget(kernel, context, body);
      if (body.stopped) await stopAgent(kernel, instance, agent);
      else await startAgent(kernel, instance, agent, body.env);
      return context.json(await describe(instance.id, agent));
    })
    .delete("/agents/:target", async (context) => {
      const { instance, agent } = await readAgentTarget(kernel, context);
      const info = await describe(instance.id, agent);
      await removeAgent(kernel, instance, agent);
      return context.json(info);
    });
}
