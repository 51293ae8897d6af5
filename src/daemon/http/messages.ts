/** Messages from people, and the story of any message. */
import { Hono } from "hono";
import { AppError } from "../../protocol/error.ts";
import { type SendAnswer, type Why, SendRequest } from "../../protocol/http/messages.ts";
import { formatTarget, globalWorkflow } from "../../protocol/target.ts";
import { findTarget } from "../kernel/operate/instances.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { sendFromPerson } from "../kernel/channel/send.ts";
import type { Env } from "./guard.ts";
import { readBody } from "./request.ts";

export function messageRoutes(kernel: Kernel): Hono<Env> {
  const { store, environments } = kernel;
  return new Hono<Env>()
    .post("/messages", async (context) => {
      const { body } = readBody(context, SendRequest);
      const { instance, agent } = await findTarget(store, body.target, body);
      const sent = await sendFromPerson(kernel, instance, {
        content: body.content,
        to: agent ? [agent, ...body.to] : body.to,
        private: body.private,
        inReplyTo: body.inReplyTo,
        asked: body.wait,
        idempotencyKey: context.req.header("idempotency-key"),
      });
      // A standalone agent works for whoever speaks to it; a workflow for whoever started it.
      if (instance.name === globalWorkflow) environments.set(instance.id, body.env);
      const answer: SendAnswer = {
        message: sent.message,
        target: formatTarget({ workflow: instance.name, tag: instance.tag }),
        project: instance.project,
        unknown: sent.unknown,
        parked: sent.parked,
        cursor: sent.cursor,
      };
      return context.json(answer, 201);
    })
    .get("/messages/:id/why", async (context) => {
      const id = context.req.param("id");
      const found = await store.message(id);
      const instance = found && (await store.instance(found.workflow));
      if (!found || !instance) {
        throw new AppError("not-found", `there is no message ${id}`, {
          hint: "agent-worker peek shows messages with their ids",
        });
      }
      const why: Why = {
        message: found.message,
        target: formatTarget({ workflow: instance.name, tag: instance.tag }),
        project: instance.project,
        deliveries: await store.deliveries(instance.id, { message: id, limit: 1_000 }),
        turns: await store.turnsOf(id),
        events: await store.eventsOf(id),
      };
      return context.json(why);
    });
}
