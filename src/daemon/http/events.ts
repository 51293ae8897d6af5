/** Event routes: the event table as a resumable stream, for one workflow or for all. */
import type { eventRoutes, workflowEventRoutes } from "../../protocol/http/events.ts";
import type { QueryOutput } from "../../protocol/http/routes.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Handlers } from "./handlers.ts";
import { eventStream } from "./sse.ts";

type EventKey = keyof typeof eventRoutes | keyof typeof workflowEventRoutes;

export function eventHandlers(operations: Operations, closing: AbortSignal): Handlers<EventKey> {
  function stream(request: Request, { after, follow }: QueryOutput<EventKey>, instance?: string): Response {
    const resumed = Number(request.headers.get("last-event-id"));
    const from = Number.isInteger(resumed) && resumed > 0 ? resumed : (after ?? 0);
    return eventStream({ operations, closing, instance, after: from, live: follow === "1" });
  }

  return {
    "GET /events": ({ request, query }) => stream(request, query),
    "GET /workflows/:target/events": ({ request, query, instance }) => stream(request, query, instance.id),
  };
}
