/** Workflow instances: started to stay, listed, stopped, started again, resumed, removed. */
import { Hono } from "hono";
import { z } from "zod";
import { AppError } from "../../protocol/error.ts";
import {
  type MessageList,
  type ResumeAnswer,
  type StartAnswer,
  type StopAnswer,
  type WorkflowList,
  ControlRequest,
  StartRequest,
} from "../../protocol/http/workflows.ts";
import type { WorkflowInfo } from "../../protocol/instance.ts";
import { pageSize } from "../../protocol/limits.ts";
import { formatTarget } from "../../protocol/target.ts";
import { resume } from "../kernel/operate/control.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Instance } from "../store/data.ts";
import type { Env } from "./guard.ts";
import { readBody, readQuery, readTarget } from "./request.ts";
import { toStart } from "./runs.ts";

const Page = z.object({
  after: z.coerce.number().int().min(0).optional(),
  limit: z.coerce.number().int().min(1).max(pageSize).default(50),
});

/** What runs to its own end does not begin to stay by being told so. */
function runsAlready({ name, tag }: Instance): AppError {
  const target = formatTarget({ workflow: name, tag });
  return new AppError("already-running", `${target} is already running, until its work is done`, {
    hint: `agent-worker attach ${target} follows it; agent-worker start ${target} keeps it alive once it has ended`,
  });
}

export function workflowRoutes(kernel: Kernel): Hono<Env> {
  const { store, runs, environments, shelves, projections } = kernel;

  async function answer(workflow: string, leftover: number, cursor: number): Promise<StartAnswer> {
    return { workflow: await store.workflowInfo(workflow), leftover, cursor };
  }

  return new Hono<Env>()
    .get("/workflows", async (context) => {
      const instances = await store.instances();
      const workflows: WorkflowInfo[] = [];
      for (const { id } of instances) workflows.push(await store.workflowInfo(id));
      return context.json({ workflows } satisfies WorkflowList);
    })
    .post("/workflows", async (context) => {
      const { instance, leftover, cursor } = await runs.start(toStart(readBody(context, StartRequest)), "start");
      return context.json(await answer(instance.id, leftover, cursor), 201);
    })
    .get("/workflows/:target", async (context) => {
      const { instance } = await readTarget(kernel, context);
      return context.json(await store.workflowInfo(instance.id));
    })
    .delete("/workflows/:target", async (context) => {
      const { instance } = await readTarget(kernel, context);
      const stopped = await runs.stop(instance);
      const info = await store.workflowInfo(instance.id);
      if (context.req.query("purge") === "1") {
        projections.forget(instance.id);
        await store.removeWorkflow(instance.id);
        environments.forget(instance.id);
        shelves.forget(instance.id);
      }
      return context.json({ stopped, workflow: info } satisfies StopAnswer);
    })
    .post("/workflows/:target/start", async (context) => {
      const { body } = readBody(context, ControlRequest);
      const { instance } = await readTarget(kernel, context, body);
      if (instance.state === "running" && instance.mode === "run") throw runsAlready(instance);
      const { cursor } = await runs.startAgain(instance, body.env);
      return context.json(await answer(instance.id, 0, cursor));
    })
    .post("/workflows/:target/resume", async (context) => {
      const { body } = readBody(context, ControlRequest);
      const { instance, agent } = await readTarget(kernel, context, body);
      const { changed, cursor } = await resume(kernel, instance, { agent: agent ?? undefined }, body.env);
      return context.json({ ...(await answer(instance.id, 0, cursor)), changed } satisfies ResumeAnswer);
    })
    .get("/workflows/:target/messages", async (context) => {
      const { instance } = await readTarget(kernel, context);
      const { after, limit } = readQuery(context, Page);
      const messages = await store.messages(instance.id, "client", { after, limit, newest: after === undefined });
      return context.json({ messages } satisfies MessageList);
    });
}
