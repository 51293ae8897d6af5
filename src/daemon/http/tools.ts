/** Tools of agents: shown, added and mocked by people. */
import { Hono } from "hono";
import { type AgentToolsList, ChangeToolsRequest } from "../../protocol/http/tools.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { changeTools, describeTools } from "../kernel/operate/tooling.ts";
import type { Env } from "./guard.ts";
import { readAgentTarget, readBody, readTarget } from "./request.ts";

export function toolRoutes(kernel: Kernel): Hono<Env> {
  const { store } = kernel;
  return new Hono<Env>()
    .get("/tools/:target", async (context) => {
      const { instance, agent } = await readTarget(kernel, context);
      const found = (await store.agents(instance.id)).filter(({ name }) => agent === null || name === agent);
      const agents = await Promise.all(found.map((each) => describeTools(store, instance, each)));
      return context.json({ agents } satisfies AgentToolsList);
    })
    .patch("/tools/:target", async (context) => {
      const { body } = readBody(context, ChangeToolsRequest);
      const { instance, agent } = await readAgentTarget(kernel, context, body);
      const found = (await store.agents(instance.id)).filter(({ name }) => name === agent);
      const agents = await Promise.all(found.map((each) => changeTools(store, instance, each, body)));
      return context.json({ agents } satisfies AgentToolsList);
    });
}
