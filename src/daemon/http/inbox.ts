/** What agents are owed: shown, acknowledged, redriven, discarded by people. */
import { Hono } from "hono";
import { z } from "zod";
import { DeliveryState } from "../../protocol/delivery.ts";
import { AppError } from "../../protocol/error.ts";
import { AckRequest, type DeliveryList, type InboxAnswer, InboxRequest } from "../../protocol/http/bodies.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Env } from "./guard.ts";
import { readAgentTarget, readBody, readQuery, readTarget } from "./request.ts";

const Filter = z.object({ state: DeliveryState.optional() });

export function inboxRoutes(kernel: Operations): Hono<Env> {
  return new Hono<Env>()
    .get("/inbox/:target", async (context) => {
      const { instance, agent } = await readTarget(kernel, context);
      const { state } = readQuery(context, Filter);
      const deliveries = await kernel.listDeliveries(instance, { agent, state });
      return context.json({ deliveries } satisfies DeliveryList);
    })
    .post("/inbox/:target/ack", async (context) => {
      const { body } = readBody(context, AckRequest);
      const { instance, agent } = await readAgentTarget(kernel, context, body);
      return context.json({
        changed: await kernel.acknowledgeDeliveries(instance, agent, body),
      } satisfies InboxAnswer);
    })
    .post("/inbox/:target/redrive", async (context) => {
      const { body } = readBody(context, InboxRequest);
      const { instance, agent } = await readTarget(kernel, context, body);
      const { changed } = await kernel.redrive(instance, { agent: agent ?? undefined, messages: body.messages });
      return context.json({ changed } satisfies InboxAnswer);
    })
    .post("/inbox/:target/discard", async (context) => {
      const { body } = readBody(context, InboxRequest);
      const { instance, agent } = await readTarget(kernel, context, body);
      if (!body.messages)
        throw new AppError("usage", "name the messages to discard", { hint: '{ "messages": ["m…"] }' });
      const changed = await kernel.discard(instance, { agent: agent ?? undefined, messages: body.messages });
      return context.json({ changed } satisfies InboxAnswer);
    });
}
