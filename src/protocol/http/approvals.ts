/** Routes of approvals and questions: list what waits for a person, and decide it once. */
import { z } from "zod";
import { Approval, ApprovalState, ArgumentsHash } from "../approval.ts";
import { approvalTextChars } from "../limits.ts";
import { Origin } from "./origin.ts";
import { route } from "./route.ts";

export const ApprovalList = z.object({ approvals: z.array(Approval) });
export type ApprovalList = z.infer<typeof ApprovalList>;

/** `POST /approvals/:id`. */
export const DecideRequest = z.strictObject({
  decision: z.enum(["approve", "deny"]),
  reason: z.string().max(approvalTextChars).optional(),
  /** All arguments, in place of those in the request. */
  args: z.record(z.string(), z.unknown()).optional(),
  /** Hash of the arguments, or its beginning: required to approve arguments that lists do not show whole. */
  hash: ArgumentsHash.optional(),
  /** The answer to a question. */
  answer: z.string().max(approvalTextChars).optional(),
});
export type DecideRequest = z.infer<typeof DecideRequest>;

export const approvalRoutes = {
  "GET /approvals": route({
    summary: "Lists what agents ask people, oldest first: calls to approve, and questions.",
    query: Origin.extend({
      target: z.string().optional().describe("Only those of this agent or instance."),
      state: ApprovalState.default("waiting").describe(
        "`waiting` (default), `approved`, `answered`, `denied` or `cancelled`.",
      ),
    }),
    response: { ApprovalList },
  }),
  "GET /approvals/:id": route({
    summary: "Reads one approval or question, with its arguments whole and with their hash.",
    response: { Approval },
  }),
  "POST /approvals/:id": route({
    summary:
      "Approves or denies a call, or answers a question. The first decision is final; a later one is refused with 409.",
    body: { DecideRequest },
    response: { Approval },
  }),
};
