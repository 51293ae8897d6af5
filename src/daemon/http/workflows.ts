/** Workflow instances: started to stay, listed, stopped, started again, resumed, removed. */
import { Hono } from "hono";
import { z } from "zod";
import { ControlRequest, type MessageList, StartRequest, type WorkflowList } from "../../protocol/http/bodies.ts";
import { pageSize } from "../../protocol/limits.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Env } from "./guard.ts";
import { readBody, readQuery, readTarget } from "./request.ts";
import { toStart } from "./runs.ts";

const Page = z.object({
  after: z.coerce.number().int().min(0).optional(),
  limit: z.coerce.number().int().min(1).max(pageSize).default(50),
});

export function workflowRoutes(kernel: Operations): Hono<Env> {
  return new Hono<Env>()
    .get("/workflows", async (context) =>
      context.json({ workflows: await kernel.listInstances() } satisfies WorkflowList),
    )
    .post("/workflows", async (context) =>
      context.json(await kernel.startInstance(toStart(readBody(context, StartRequest))), 201),
    )
    .get("/workflows/:target", async (context) => {
      const { instance } = await readTarget(kernel, context);
      return context.json(await kernel.describeInstance(instance));
    })
    .delete("/workflows/:target", async (context) => {
      const { instance } = await readTarget(kernel, context);
      const end = context.req.query("purge") === "1" ? kernel.purgeInstance : kernel.stopInstance;
      return context.json(await end(instance));
    })
    .post("/workflows/:target/start", async (context) => {
      const { body } = readBody(context, ControlRequest);
      const { instance } = await readTarget(kernel, context, body);
      return context.json(await kernel.startInstanceAgain(instance, body.env));
    })
    .post("/workflows/:target/resume", async (context) => {
      const { body } = readBody(context, ControlRequest);
      const { instance, agent } = await readTarget(kernel, context, body);
      return context.json(await kernel.resumeInstance(instance, agent, body.env));
    })
    .get("/workflows/:target/messages", async (context) => {
      const { instance } = await readTarget(kernel, context);
      const { after: since, limit } = readQuery(context, Page);
      const messages = await kernel.readMessages(instance.id, "client", { since, limit });
      return context.json({ messages } satisfies MessageList);
    });
}
