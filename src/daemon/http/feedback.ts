/** Feedback routes: list, and add as a person. Agents add theirs through MCP. */
import type { feedbackRoutes } from "../../protocol/http/feedback.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Handlers } from "./handlers.ts";

export function feedbackHandlers(kernel: Operations): Handlers<keyof typeof feedbackRoutes> {
  return {
    "GET /feedback": async ({ query }) => ({ feedback: await kernel.listFeedback(query.limit) }),
    "POST /feedback": ({ body }) => kernel.addFeedback("user", body),
  };
}
