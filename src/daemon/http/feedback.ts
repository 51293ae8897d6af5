/** Feedback routes: list, and add as a person. Agents add theirs through MCP. */
import type { feedbackRoutes } from "../../protocol/http/feedback.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Handlers } from "./handlers.ts";

export function feedbackHandlers(operations: Operations): Handlers<keyof typeof feedbackRoutes> {
  return {
    "GET /feedback": async ({ query }) => ({ feedback: await operations.listFeedback(query.limit) }),
    "POST /feedback": ({ body }) => operations.addFeedback("user", body),
  };
}
