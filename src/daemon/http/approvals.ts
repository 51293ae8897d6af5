/** Approval routes: list what waits for a person, and decide it, once. */
import type { approvalRoutes } from "../../protocol/http/approvals.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Handlers } from "./handlers.ts";

export function approvalHandlers(operations: Operations): Handlers<keyof typeof approvalRoutes> {
  return {
    "GET /approvals": async ({ query: { target, state, ...origin } }) => ({
      approvals: await operations.listApprovals({ target, state, origin }),
    }),
    "GET /approvals/:id": ({ param }) => operations.readApproval(param("id")),
    "POST /approvals/:id": ({ param, body }) => operations.decideApproval(param("id"), body),
  };
}
