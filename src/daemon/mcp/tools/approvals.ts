/** What waits for a person, for a client that decides in a person's name. */
import { Approval } from "../../../protocol/approval.ts";
import { ApprovalDecideInput, ApprovalListInput, ApprovalListResult } from "../../../protocol/tools/management.ts";
import { type ClientCaller, defineTool } from "../tool.ts";

const approvalList = defineTool<typeof ApprovalListInput, typeof ApprovalListResult, ClientCaller>({
  name: "approval_list",
  title: "What waits for a person",
  description: "Calls of tools that agents may not make without approval, and their questions; the oldest first.",
  input: ApprovalListInput,
  output: ApprovalListResult,
  readOnly: true,
  idempotent: true,
  async run({ kernel }, { target, ...origin }) {
    const approvals = await kernel.listApprovals({ target, origin, state: "waiting" });
    const lines = approvals.map(({ id, target: who, tool, args, question }) =>
      question === null ? `${id}: ${who} asks to use ${tool} ${args}` : `${id}: ${who} asks: ${question}`,
    );
    return { text: lines.join("\n") || "Nothing waits for a person.", result: { approvals } };
  },
});

const approvalDecide = defineTool<typeof ApprovalDecideInput, typeof Approval, ClientCaller>({
  name: "approval_decide",
  title: "Decide",
  description: "Approve or deny a call, perhaps with other arguments, or answer a question. The first decision holds.",
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
