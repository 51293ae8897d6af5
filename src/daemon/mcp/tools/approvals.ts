/** Approval tools: a client lists what is waiting for a person, and decides on that person's behalf. */
import { Approval } from "../../../protocol/approval.ts";
import { ApprovalDecideInput, ApprovalListInput, ApprovalListResult } from "../../../protocol/tools/management.ts";
import { visible } from "../../../text/visible.ts";
import { type ClientCaller, defineTool } from "../tool.ts";

const approvalList = defineTool<typeof ApprovalListInput, typeof ApprovalListResult, ClientCaller>({
  name: "approval_list",
  title: "List approvals",
  description:
    "List the tool calls that need a person's approval and the questions that agents ask, oldest first. With `approval`, read one of them whole.",
  input: ApprovalListInput,
  output: ApprovalListResult,
  readOnly: true,
  idempotent: true,
  async run({ operations }, { approval, target, ...origin }) {
    const approvals =
      approval === undefined
        ? await operations.listApprovals({ target, origin, state: "waiting" })
        : [await operations.readApproval(approval)];
    return {
      text: approvals.map(describe).join("\n") || "Nothing is waiting for a person.",
      result: { approvals },
    };
  },
});

const approvalDecide = defineTool<typeof ApprovalDecideInput, typeof Approval, ClientCaller>({
  name: "approval_decide",
  title: "Decide an approval",
  description:
    "Approve a tool call, optionally with changed arguments, or deny it; or answer a question. The first decision counts. Arguments that the list does not show whole need their `hash`, which approval_list gives for one `approval`.",
  input: ApprovalDecideInput,
  output: Approval,
  readOnly: false,
  idempotent: false,
  async run({ operations }, { approval: id, ...decision }) {
    const approval = await operations.decideApproval(id, decision);
    return { text: `${id} is ${approval.state}.`, result: approval };
  },
});

/** On one line each, so that no field can imitate another approval. */
function describe({ id, target, tool, args, whole, masked, hash, cwd, why, question, options }: Approval): string {
  const what = question === null ? `to use ${visible(tool)} ${visible(args)}` : visible(question);
  const details = [
    ...options.map((option, at) => `${at + 1}. ${visible(option)}`),
    ...(cwd === null ? [] : [`in ${visible(cwd)}`]),
    ...(why === null ? [] : [`because ${visible(why)}`]),
    ...(masked === 0 ? [] : [`masked secrets: ${masked}`]),
    whole ? `hash ${hash}` : "not shown whole",
  ];
  return `${id}: ${visible(target)} asks${question === null ? "" : ":"} ${what} (${details.join("; ")})`;
}

export const approvalTools = [approvalList, approvalDecide];
