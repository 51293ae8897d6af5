/** Messages from people, and the story of any message. */
import { Hono } from "hono";
import { type SendAnswer, SendRequest } from "../../protocol/http/bodies.ts";
import { formatTarget } from "../../protocol/target.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Env } from "./guard.ts";
import { readBody } from "./request.ts";

export function messageRoutes(kernel: Operations): Hono<Env> {
  return new Hono<Env>()
    .post("/messages", async (context) => {
      const { body } = readBody(context, SendRequest);
      const { instance, agent } = await kernel.findTarget(body.target, body);
      const sent = await kernel.sendFromPerson(instance, {
        content: body.content,
        to: agent ? [agent, ...body.to] : body.to,
        private: body.private,
        inReplyTo: body.inReplyTo,
        asked: body.wait,
        idempotencyKey: context.req.header("idempotency-key"),
        env: body.env,
      });
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
    .get("/messages/:id/why", async (context) => context.json(await kernel.explainMessage(context.req.param("id"))));
}
