/** Workflow routes: start an instance that keeps running, list, stop, start again, resume, remove, read messages. */
import type { workflowRoutes } from "../../protocol/http/workflows.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Handlers } from "./handlers.ts";
import { toStart } from "./runs.ts";

export function workflowHandlers(kernel: Operations): Handlers<keyof typeof workflowRoutes> {
  return {
    "GET /workflows": async () => ({ workflows: await kernel.listInstances() }),
    "POST /workflows": (parsed) => kernel.startInstance(toStart(parsed)),
    "GET /workflows/:target": ({ instance }) => kernel.describeInstance(instance),
    "DELETE /workflows/:target": ({ instance, query }) =>
      query.purge === "1" ? kernel.purgeInstance(instance) : kernel.stopInstance(instance),
    "POST /workflows/:target/start": ({ instance, body }) => kernel.startInstanceAgain(instance, body.env),
    "POST /workflows/:target/resume": ({ instance, agent, body }) => kernel.resumeInstance(instance, agent, body.env),
    "GET /workflows/:target/messages": async ({ instance, query: { after: since, limit } }) => ({
      messages: await kernel.readMessages(instance.id, "client", { since, limit }),
    }),
  };
}
