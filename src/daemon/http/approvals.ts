/** What waits for a person: listed, and decided once. */
import type { approvalRoutes } from "../../protocol/http/approvals.ts";
import { decideApproval } from "../kernel/approvals/decide.ts";
import { listApprovals } from "../kernel/approvals/list-approvals.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Handlers } from "./serve.ts";

export function approvalHandlers(kernel: Kernel): Handlers<keyof typeof approvalRoutes> {
  return {
    "GET /approvals": async ({ query: { target, state, ...origin } }) => ({
      approvals: await listApprovals(kernel, { target, state, origin }),
    }),
    "POST /approvals/:id": ({ param, body }) => decideApproval(kernel, param("id"), body),
  };
}
