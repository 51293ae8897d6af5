/** Inbox routes: list agents' deliveries; acknowledge, redrive or discard them. */
import { AppError } from "../../protocol/error.ts";
import type { inboxRoutes } from "../../protocol/http/inbox.ts";
import type { Operations } from "../kernel/operations.ts";
import { agentOf, type Handlers } from "./handlers.ts";

export function inboxHandlers(operations: Operations): Handlers<keyof typeof inboxRoutes> {
  return {
    "GET /inbox/:target": async ({ instance, agent, query: { state } }) => ({
      deliveries: await operations.listDeliveries(instance, { agent, state }),
    }),
    "POST /inbox/:target/ack": async ({ body, ...target }) => ({
      changed: await operations.acknowledgeDeliveries(target.instance, agentOf(target), body),
    }),
    "POST /inbox/:target/redrive": async ({ instance, agent, body: { messages } }) => {
      const { changed } = await operations.redrive(instance, { agent: agent ?? undefined, messages });
      return { changed };
    },
    "POST /inbox/:target/discard": async ({ instance, agent, body: { messages } }) => {
      if (!messages) throw new AppError("usage", "name the messages to discard", { hint: '{ "messages": ["m…"] }' });
      return { changed: await operations.discard(instance, { agent: agent ?? undefined, messages }) };
    },
  };
}
