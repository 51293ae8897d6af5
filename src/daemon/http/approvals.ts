/** What waits for a person: listed, and decided once. */
import { Hono } from "hono";
import { type ApprovalList, ApprovalQuery, DecideRequest } from "../../protocol/http/bodies.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Env } from "./guard.ts";
import { readBody, readQuery } from "./request.ts";

export function approvalRoutes(kernel: Operations): Hono<Env> {
  return new Hono<Env>()
    .get("/approvals", async (context) => {
      const { target, state, ...origin } = readQuery(context, ApprovalQuery);
      const approvals = await kernel.listApprovals({ target, state, origin });
      return context.json({ approvals } satisfies ApprovalList);
    })
    .post("/approvals/:id", async (context) => {
      const { body } = readBody(context, DecideRequest);
      return context.json(await kernel.decideApproval(context.req.param("id"), body));
    });
}
