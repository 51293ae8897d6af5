/** Message routes: send as a person, and explain what happened to a message. */
import type { messageRoutes } from "../../protocol/http/messages.ts";
import { formatTarget } from "../../protocol/target.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Handlers } from "./handlers.ts";

export function messageHandlers(operations: Operations): Handlers<keyof typeof messageRoutes> {
  return {
    "POST /messages": async ({ body, request }) => {
      const { instance, agent } = await operations.findTarget(body.target, body);
      const sent = await operations.sendFromPerson(instance, {
        content: body.content,
        to: agent ? [agent, ...body.to] : body.to,
        private: body.private,
        inReplyTo: body.inReplyTo,
        asked: body.wait,
        idempotencyKey: request.headers.get("idempotency-key") ?? undefined,
        env: body.env,
      });
      return {
        message: sent.message,
        target: formatTarget({ workflow: instance.name, tag: instance.tag }),
        project: instance.project,
        unknown: sent.unknown,
        parked: sent.parked,
        cursor: sent.cursor,
      };
    },
    "GET /messages/:id/why": ({ param }) => operations.explainMessage(param("id")),
  };
}
