/** What agents are owed: shown, acknowledged, redriven, discarded by people. */
import { Hono } from "hono";
import { z } from "zod";
import { DeliveryState } from "../../protocol/delivery.ts";
import { AppError } from "../../protocol/error.ts";
import { type DeliveryList, type InboxAnswer, AckRequest, InboxRequest } from "../../protocol/http/inbox.ts";
import { pageSize } from "../../protocol/limits.ts";
import { discard, redrive } from "../kernel/operate/control.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Env } from "./guard.ts";
import { readAgentTarget, readBody, readQuery, readTarget } from "./request.ts";

const Filter = z.object({ state: DeliveryState.optional() });
/** What one `until` can settle; an inbox with more is asked again. */
const mostAcked = 100_000;
const open: DeliveryState[] = ["pending", "claimed", "dead", "parked"];

export function inboxRoutes(kernel: Kernel): Hono<Env> {
  const { store } = kernel;
  return new Hono<Env>()
    .get("/inbox/:target", async (context) => {
      const { instance, agent } = await readTarget(kernel, context);
      const { state } = readQuery(context, Filter);
      const filter = { agent: agent ?? undefined, states: state ? [state] : open, limit: pageSize };
      return context.json({ deliveries: await store.deliveries(instance.id, filter) } satisfies DeliveryList);
    })
    .post("/inbox/:target/ack", async (context) => {
      const { body } = readBody(context, AckRequest);
      const { instance, agent } = await readAgentTarget(kernel, context, body);
      const messages = body.messages ?? (await upTo(instance.id, agent, body.until));
      return context.json({ changed: await discard(kernel, instance, { agent, messages }) } satisfies InboxAnswer);
    })
    .post("/inbox/:target/redrive", async (context) => {
      const { body } = readBody(context, InboxRequest);
      const { instance, agent } = await readTarget(kernel, context, body);
      const { changed } = await redrive(kernel, instance, { agent: agent ?? undefined, messages: body.messages });
      return context.json({ changed } satisfies InboxAnswer);
    })
    .post("/inbox/:target/discard", async (context) => {
      const { body } = readBody(context, InboxRequest);
      const { instance, agent } = await readTarget(kernel, context, body);
      if (!body.messages)
        throw new AppError("usage", "name the messages to discard", { hint: '{ "messages": ["m…"] }' });
      const changed = await discard(kernel, instance, { agent: agent ?? undefined, messages: body.messages });
      return context.json({ changed } satisfies InboxAnswer);
    });

  /** What waits for an agent up to a message that is named by id or seq. */
  async function upTo(workflow: string, agent: string, until: string | undefined): Promise<string[]> {
    if (until === undefined) throw new AppError("usage", "give `messages` or `until`");
    const found = await store.message(until);
    const seq = /^\d{1,15}$/.test(until) ? Number(until) : found?.workflow === workflow && found.message.seq;
    if (seq === false) throw new AppError("not-found", `there is no message ${until} in this workflow`);
    const waiting = await store.deliveries(workflow, {
      agent,
      states: ["pending", "dead", "parked"],
      limit: mostAcked,
    });
    return waiting
      .map(({ message }) => message)
      .filter((message) => message.seq <= seq)
      .map(({ id }) => id);
  }
}
