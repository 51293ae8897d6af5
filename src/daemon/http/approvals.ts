/** What waits for a person: listed, and decided once. */
import { Hono } from "hono";
import { type ApprovalList, ApprovalQuery, DecideRequest } from "../../protocol/http/bodies.ts";
import { decideApproval } from "../kernel/approvals/decide.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { listApprovals } from "../kernel/approvals/list-approvals.ts";
import type { Env } from "./guard.ts";
import { readBody, readQuery } from "./request.ts";

export function approvalRoutes(kernel: Kernel): Hono<Env> {
  return new Hono<Env>()
    .get("/approvals", async (context) => {
      const { target, state, ...origin } = readQuery(context, ApprovalQuery);
      const approvals = await listApprovals(kernel, { target, state, origin });
      return context.json({ approvals } satisfies ApprovalList);
    })
    .post("/approvals/:id", async (context) => {
      const { body } = readBody(context, DecideRequest);
      return context.json(await decideApproval(kernel, context.req.param("id"), body));
    });
}
