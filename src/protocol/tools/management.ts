/** The management tools, for clients: their inputs and results. */
import { z } from "zod";
import { Approval, ArgumentsHash } from "../approval.ts";
import { AgentInfo, WorkflowState } from "../instance.ts";
import { approvalTextChars } from "../limits.ts";
import { Turn } from "../turn.ts";
import { ChannelSendResult } from "./channel.ts";

const origin = {
  cwd: z.string().optional().describe("Your working directory: selects the instance of the nearest folder around it."),
  project: z.string().optional().describe("Selects the instance of exactly this folder."),
};
const target = z.string().describe("agent, agent@workflow, @workflow or @workflow:tag.");

export const TargetInput = z.object({ target, ...origin });
export const AgentListResult = z.object({ agents: z.array(AgentInfo) });
export const AgentCreateInput = z.object({
  name: z.string(),
  definition: z.record(z.string(), z.unknown()).describe("The agent, as under `agents:` in a workflow file."),
  cwd: z.string().min(1).describe("Its working directory."),
});
export const AgentStateResult = z.object({ target: z.string(), state: z.enum(["idle", "running", "stopped"]) });
export const WorkflowStartInput = z.object({
  definition: z.record(z.string(), z.unknown()).describe("The workflow file's content, as JSON."),
  project: z.string().min(1).describe("The folder to start it from; the instance belongs to it."),
  tag: z.string().optional(),
});
export const WorkflowStateResult = z.object({ target: z.string(), state: WorkflowState, run: z.number().int() });
export const TurnListInput = z.object({
  target: target.optional().describe("Only the turns of this agent or workflow. Default: the latest turns of all."),
  ...origin,
  limit: z.int().min(1).max(100).optional().describe("Maximum number, latest first. Default: 20."),
});
export const TurnListResult = z.object({
  turns: z.array(Turn.omit({ text: true, entry: true, parent: true }).extend({ target: z.string() })),
});
export const MessageSendInput = z.object({ target, message: z.string(), ...origin });
export const MessageSendResult = ChannelSendResult.omit({ repeated: true });

export const ApprovalListInput = z.object({
  approval: z.string().optional().describe("Only the one with this id, with its arguments whole and with their hash."),
  target: target.optional(),
  ...origin,
});
export const ApprovalListResult = z.object({ approvals: z.array(Approval) });
export const ApprovalDecideInput = z.object({
  approval: z.string().describe("The id of the approval, from approval_list."),
  decision: z.enum(["approve", "deny"]),
  reason: z.string().max(approvalTextChars).optional().describe("Shown to the agent."),
  args: z.record(z.string(), z.unknown()).optional().describe("All arguments, in place of those in the request."),
  hash: ArgumentsHash.optional().describe("Hash of the arguments: required if the list does not show them whole."),
  answer: z.string().max(approvalTextChars).optional().describe("The answer to a question; set decision to approve."),
});
