/** The tools of clients: what they take and give. */
import { z } from "zod";
import { Approval } from "../approval.ts";
import { AgentInfo, WorkflowState } from "../instance.ts";
import { approvalTextChars } from "../limits.ts";
import { Turn } from "../turn.ts";
import { ChannelSendResult } from "./channel.ts";

const place = {
  cwd: z.string().optional().describe("The folder that you are in: a target means the instance there."),
  project: z.string().optional().describe("Exactly this folder."),
};
const target = z.string().describe("agent, agent@workflow, @workflow or @workflow:tag.");

export const TargetInput = z.object({ target, ...place });
export const AgentListResult = z.object({ agents: z.array(AgentInfo) });
export const AgentCreateInput = z.object({
  name: z.string(),
  definition: z.record(z.string(), z.unknown()).describe("As under `agents:` in a workflow file."),
  cwd: z.string().min(1).describe("The folder that it works in."),
});
export const AgentStateResult = z.object({ target: z.string(), state: z.enum(["idle", "running", "stopped"]) });
export const WorkflowStartInput = z.object({
  definition: z.record(z.string(), z.unknown()).describe("The workflow file's content, as JSON."),
  project: z.string().min(1).describe("The folder that it is started from."),
  tag: z.string().optional(),
});
export const WorkflowStateResult = z.object({ target: z.string(), state: WorkflowState, run: z.number().int() });
export const TurnListInput = z.object({
  target: target
    .optional()
    .describe("An agent's or a workflow's turns; those of all that run or ran lately unless said."),
  ...place,
  limit: z.int().min(1).max(100).optional().describe("At most so many, 20 unless said, the latest first."),
});
export const TurnListResult = z.object({
  turns: z.array(Turn.omit({ text: true, entry: true, parent: true }).extend({ target: z.string() })),
});
export const MessageSendInput = z.object({ target, message: z.string(), ...place });
export const MessageSendResult = ChannelSendResult.omit({ repeated: true });

export const ApprovalListInput = z.object({ target: target.optional(), ...place });
export const ApprovalListResult = z.object({ approvals: z.array(Approval) });
export const ApprovalDecideInput = z.object({
  approval: z.string().describe("Its id, as approval_list gives it."),
  decision: z.enum(["approve", "deny"]),
  reason: z.string().max(approvalTextChars).optional().describe("The agent is told."),
  args: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("In place of the arguments that were asked for, all of them."),
  answer: z.string().max(approvalTextChars).optional().describe("To a question, with decision approve."),
});
