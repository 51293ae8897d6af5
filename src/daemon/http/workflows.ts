/** Workflow routes: start an instance that keeps running, list, stop, start again, resume, remove, read messages. */
import type { workflowRoutes } from "../../protocol/http/workflows.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Handlers } from "./handlers.ts";
import { toStart } from "./runs.ts";

export function workflowHandlers(operations: Operations): Handlers<keyof typeof workflowRoutes> {
  return {
    "GET /workflows": async () => ({ workflows: await operations.listInstances() }),
    "POST /workflows": (parsed) => operations.startInstance(toStart(parsed)),
    "GET /workflows/:target": ({ instance }) => operations.describeInstance(instance),
    "DELETE /workflows/:target": ({ instance, query }) =>
      query.purge === "1" ? operations.purgeInstance(instance) : operations.stopInstance(instance),
    "POST /workflows/:target/start": ({ instance, body }) => operations.startInstanceAgain(instance, body.env),
    "POST /workflows/:target/resume": ({ instance, agent, body }) =>
      operations.resumeInstance(instance, agent, body.env),
    "GET /workflows/:target/messages": async ({ instance, query: { after: since, limit } }) => ({
      messages: await operations.readMessages(instance.id, "client", { since, limit }),
    }),
  };
}
