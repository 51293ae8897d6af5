/** What waits for a person: listed, and decided once. */
import { z } from "zod";
import { Approval, ApprovalState } from "../approval.ts";
import { approvalTextChars } from "../limits.ts";
import { Origin } from "./origin.ts";
import { route } from "./route.ts";

export const ApprovalList = z.object({ approvals: z.array(Approval) });
export type ApprovalList = z.infer<typeof ApprovalList>;

/** `POST /approvals/:id`. */
export const DecideRequest = z.strictObject({
  decision: z.enum(["approve", "deny"]),
  reason: z.string().max(approvalTextChars).optional(),
  /** In place of the arguments that were asked for, all of them. */
  args: z.record(z.string(), z.unknown()).optional(),
  /** To a question. */
  answer: z.string().max(approvalTextChars).optional(),
});
export type DecideRequest = z.infer<typeof DecideRequest>;

export const approvalRoutes = {
  "GET /approvals": route({
    summary: "What agents ask people, the oldest first: calls to approve, and questions.",
    query: Origin.extend({
      target: z.string().optional().describe("Only of this agent or instance."),
      state: ApprovalState.default("waiting").describe(
        "`waiting` unless given; or `approved`, `answered`, `denied`, `cancelled`.",
      ),
    }),
    answer: { ApprovalList },
  }),
  "POST /approvals/:id": route({
    summary:
      "Approves or denies a call, or answers a question. The first decision holds; a later one is refused with 409.",
    body: { DecideRequest },
    answer: { Approval },
  }),
};
