/** Inputs and structured results of the daemon's MCP tools: a worker's system calls. */
import { z } from "zod";
import { Approval } from "./approval.ts";
import { DocumentInfo } from "./document.ts";
import { approvalTextChars, questionOptions, resourcePageChars, resourcePageMostChars } from "./limits.ts";
import { AgentInfo, WorkflowState } from "./instance.ts";
import { MessageKind, Priority, UnknownMention } from "./message.ts";
import { Turn } from "./turn.ts";
import { NewProposal, Proposal, ProposalStatus } from "./proposal.ts";

/** A message as an agent is shown it. */
export const ToolMessage = z.object({
  id: z.string(),
  seq: z.number().int(),
  sender: z.string(),
  recipients: z.array(z.string()),
  /** Of a long message its head and tail. */
  content: z.string(),
  kind: MessageKind,
  priority: Priority,
  private: z.boolean(),
  inReplyTo: z.string().nullable(),
  createdAt: z.number(),
  /** Where all of a long message is: see `resource_read`. */
  resource: z.string().optional(),
});
export type ToolMessage = z.infer<typeof ToolMessage>;

export const ChannelSendInput = z.object({
  message: z.string().describe("The text. @name addresses an agent, @all every agent, @user the human."),
  to: z.array(z.string()).optional().describe("Agents that it is for, without naming them in the text."),
  private: z.boolean().optional().describe("Only the sender and the agents in `to` see it."),
  in_reply_to: z.string().optional().describe("The id of the message that this answers."),
});
export const ChannelSendResult = z.object({
  id: z.string(),
  seq: z.number().int(),
  recipients: z.array(z.string()),
  unknown: z.array(UnknownMention),
  /** Recipients that do not run now; it waits for them. */
  parked: z.array(z.string()),
  /** An earlier attempt of this turn had sent exactly this: it was not sent again. */
  repeated: z.boolean(),
});
export type ChannelSendResult = z.infer<typeof ChannelSendResult>;

export const ChannelReadInput = z.object({
  since: z.string().optional().describe("Only messages after this one: an id or a seq."),
  limit: z
    .int()
    .min(1)
    .max(500)
    .optional()
    .describe("At most so many, 50 unless said: the first after `since`, or the newest."),
});
export const ChannelPeekInput = z.object({ limit: z.int().min(1).max(500).optional() });
export const ChannelReadResult = z.object({ messages: z.array(ToolMessage) });
export type ChannelReadResult = z.infer<typeof ChannelReadResult>;

export const InboxCheckResult = z.object({
  /** All that this turn holds and has not acked, high priority first. */
  messages: z.array(ToolMessage),
  /** What earlier attempts of this turn already said and called, a line each. */
  earlier: z.array(z.string()),
});
export type InboxCheckResult = z.infer<typeof InboxCheckResult>;

export const InboxAckInput = z.object({
  ids: z.array(z.string()).optional().describe("Ids of messages that you have handled."),
  until: z.string().optional().describe("All up to this message: an id, a seq or a timestamp."),
});
export const InboxAckResult = z.object({ acked: z.array(z.string()) });
export type InboxAckResult = z.infer<typeof InboxAckResult>;

const file = z.string().optional().describe("The document's name; the entry point unless said.");
const baseVersion = z
  .int()
  .min(0)
  .optional()
  .describe(
    "The version that your change was made from; the newest you have read or written in this turn unless said.",
  );

export const DocumentReadInput = z.object({
  file,
  version: z.int().min(1).optional().describe("An earlier version; the latest unless said."),
});
export const DocumentReadResult = z.object({
  file: z.string(),
  /** 0: the entry point, which nobody has written yet. */
  version: z.number().int(),
  author: z.string(),
  createdAt: z.number(),
  content: z.string(),
});
export const DocumentWriteInput = z.object({ content: z.string(), file, base_version: baseVersion });
export const DocumentAppendInput = z.object({
  content: z.string().describe("What comes at the end, on lines of its own."),
  file,
});
export const DocumentCreateInput = z.object({ file: z.string(), content: z.string().optional() });
export const DocumentDeleteInput = z.object({ file: z.string(), base_version: baseVersion });
export const DocumentWriteResult = z.object({
  file: z.string(),
  version: z.number().int(),
  /** False: the document had exactly this content, and no version was made. */
  changed: z.boolean(),
});
export const DocumentListResult = z.object({
  documents: z.array(DocumentInfo),
  /** The document that is meant where none is named. */
  entryPoint: z.string(),
  /** The only agent that may write; null where all may. */
  owner: z.string().nullable(),
});
export const DocumentSuggestInput = z.object({
  content: z.string().describe("What should be changed, and to what."),
  file,
});
export const DocumentSuggestResult = z.object({ id: z.string(), seq: z.number().int(), owner: z.string() });

export const ResourceCreateInput = z.object({
  content: z.string().describe("The whole text."),
  type: z
    .string()
    .regex(/^[\w.+-]{1,60}\/[\w.+-]{1,60}$/, "a media type, such as text/markdown")
    .optional()
    .describe("Its media type; text/plain unless said."),
});
export const ResourceReadInput = z.object({
  id: z.string().describe("The resource's id, as a message or resource_create gave it."),
  offset: z.int().min(0).optional().describe("The first character, counted from 0."),
  limit: z
    .int()
    .min(1)
    .max(resourcePageMostChars)
    .optional()
    .describe(`At most so many, ${resourcePageChars} unless said.`),
});

const proposal = z.string().describe("Its id: that of the message that asks.");

export const ProposalCreateInput = NewProposal;
export const ProposalCreateResult = z.object({
  id: z.string(),
  status: ProposalStatus,
  voters: z.array(z.string()),
  options: z.array(z.string()),
  deadline: z.number().nullable(),
  /** Voters that do not run now. */
  parked: z.array(z.string()),
  /** An earlier attempt of this turn had asked exactly this: it was not asked again. */
  repeated: z.boolean(),
});
export const VoteInput = z.object({
  proposal,
  choice: z.string().describe("The id of the option."),
  reason: z.string().optional().describe("Why, in a sentence; it is written down with the decision."),
});
export const VoteResult = z.object({
  proposal: z.string(),
  choice: z.string(),
  /** Not `active` any more: this vote, or one before it, has decided it. */
  status: ProposalStatus,
  winner: z.string().nullable(),
});
export const ProposalStatusInput = z.object({
  proposal: proposal.optional().describe("Its id; all that are open unless said."),
});
export const ProposalStatusResult = z.object({
  proposals: z.array(
    Proposal.extend({
      /** What you have voted for. */
      yours: z.string().nullable(),
      mayVote: z.boolean(),
    }),
  ),
});
export type ProposalStatusResult = z.infer<typeof ProposalStatusResult>;
export const ProposalCancelInput = z.object({ proposal });
export const ProposalStateResult = z.object({ proposal: z.string(), status: ProposalStatus });

export const WorkflowAgentsResult = z.object({
  agents: z.array(
    z.object({
      name: z.string(),
      description: z.string().nullable(),
      state: z.enum(["idle", "running", "stopped"]),
      status: z.string().nullable(),
      waiting: z.number().int(),
    }),
  ),
});
export type WorkflowAgentsResult = z.infer<typeof WorkflowAgentsResult>;

export const StatusSetInput = z.object({
  text: z.string().max(200).describe("What you are doing now, in a few words; empty clears it."),
});
export const StatusSetResult = z.object({ status: z.string() });

export const AskUserInput = z.object({
  question: z
    .string()
    .min(1)
    .max(approvalTextChars)
    .describe("What you need to know, with all that is needed to answer."),
  options: z
    .array(z.string().min(1).max(200))
    .max(questionOptions)
    .optional()
    .describe("Answers to choose from; any other is possible."),
});
export const AskUserResult = z.object({
  approval: z.string(),
  /** Null: nobody could answer, did, or wanted to; `reason` says which. */
  answer: z.string().nullable(),
  reason: z.string().nullable(),
});

/** The form that Claude Code calls; `cwd` and `why` are added by workers of ours. */
export const PermissionPromptInput = z.object({
  tool_name: z.string().min(1).max(200),
  input: z.record(z.string(), z.unknown()),
  tool_use_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("Asking again with the same id waits for the same decision."),
  cwd: z.string().max(4_096).optional(),
  why: z.string().max(approvalTextChars).optional(),
});
export const PermissionPromptResult = z.object({
  behavior: z.enum(["allow", "deny"]),
  /** What the call is to be made with: what was asked for, unless a person has changed it. */
  updatedInput: z.record(z.string(), z.unknown()).optional(),
  message: z.string().optional(),
  /** Of `updatedInput`: what the decision is bound to. */
  hash: z.string().optional(),
  approval: z.string().optional(),
});
export type PermissionPromptResult = z.infer<typeof PermissionPromptResult>;

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
  target: target.optional().describe("An agent's or a workflow's turns; those of all unless said."),
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
