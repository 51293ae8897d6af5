/** Approval tools: a client lists what waits for a person, and decides on that person's behalf. */
import { Approval } from "../../../protocol/approval.ts";
import { ApprovalDecideInput, ApprovalListInput, ApprovalListResult } from "../../../protocol/tools/management.ts";
import { indentRest } from "../../../text/frame.ts";
import { type ClientCaller, defineTool } from "../tool.ts";

const approvalList = defineTool<typeof ApprovalListInput, typeof ApprovalListResult, ClientCaller>({
  name: "approval_list",
  title: "List approvals",
  description: "List the tool calls that need a person's approval and the questions that agents ask, oldest first.",
  input: ApprovalListInput,
  output: ApprovalListResult,
  readOnly: true,
  idempotent: true,
  async run({ kernel }, { target, ...origin }) {
    const approvals = await kernel.listApprovals({ target, origin, state: "waiting" });
    const lines = approvals.map(({ id, target: who, tool, args, question }) =>
      indentRest(question === null ? `${id}: ${who} asks to use ${tool} ${args}` : `${id}: ${who} asks: ${question}`),
    );
    return { text: lines.join("\n") || "Nothing is waiting for a person.", result: { approvals } };
  },
});

const approvalDecide = defineTool<typeof ApprovalDecideInput, typeof Approval, ClientCaller>({
  name: "approval_decide",
  title: "Decide an approval",
  description:
    "Approve a tool call, optionally with changed arguments, or deny it; or answer a question. The first decision counts.",
  input: ApprovalDecideInput,
  output: Approval,
  readOnly: false,
  idempotent: false,
  async run({ kernel }, { approval: id, ...decision }) {
    const approval = await kernel.decideApproval(id, decision);
    return { text: `${id} is ${approval.state}.`, result: approval };
  },
});

export const approvalTools = [approvalList, approvalDecide];
