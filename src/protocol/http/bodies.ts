/** Bodies of the HTTP door's requests and answers; what is listed elsewhere in `protocol/` is answered as it is. */
import { z } from "zod";
import { Approval, ApprovalState } from "../approval.ts";
import { AgentDefinition } from "../definition/agent-definition.ts";
import { ParamValue, WorkflowDefinition } from "../definition/definition.ts";
import { Delivery } from "../delivery.ts";
import { DocumentInfo, DocumentVersion } from "../document.ts";
import { errorTable } from "../error.ts";
import { Event } from "../event.ts";
import { Feedback, NewFeedback } from "../feedback.ts";
import { AgentInfo, WorkflowInfo } from "../instance.ts";
import { approvalTextChars, namesPerMessage } from "../limits.ts";
import { Message, UnknownMention } from "../message.ts";
import { NewProposal, Proposal } from "../proposal.ts";
import { ScheduleInfo, ScheduleInput } from "../schedule.ts";
import { AgentTools, ToolingChange } from "../tooling.ts";
import { Turn } from "../turn.ts";

const Environment = z.record(z.string(), z.string());

/** What every route answers when it refuses or fails. */
export const ErrorAnswer = z.object({
  error: z.object({
    code: z.enum(Object.keys(errorTable)),
    message: z.string(),
    /** What to do about it. */
    hint: z.string().optional(),
    details: z.unknown().optional(),
  }),
});

/** Where a request comes from, so that a target means the instance of that folder. Also accepted as query parameters. */
export const Origin = z.object({
  /** The folder the caller is in. */
  cwd: z.string().optional(),
  /** Exactly this project, as `--project` says. */
  project: z.string().optional(),
});
export type Origin = z.infer<typeof Origin>;
/** The same as part of a body, where a field that nobody knows is refused. */
const FromSomewhere = Origin.strict();

/** `POST /run`, `POST /serve` and `POST /workflows`. */
export const StartRequest = z.strictObject({
  /** The workflow file's content, as JSON. */
  definition: WorkflowDefinition,
  /** The folder it is started from, which the instance belongs to. */
  project: z.string().min(1),
  /** The folder of the workflow file: `source.dir`. */
  dir: z.string().min(1).optional(),
  tag: z.string().default("main"),
  /** Values of the workflow's params, by their names. */
  params: z.record(z.string(), ParamValue).default({}),
  /** The caller's environment, kept in memory only. */
  env: Environment.default({}),
  /** Clears what an earlier run of this instance left. */
  fresh: z.boolean().default(false),
  /** Whether somebody can answer what agents ask; else it is denied at once. Of what stays it is true unless said. */
  attended: z.boolean().optional(),
});
export type StartRequest = z.output<typeof StartRequest>;
export type StartRequestInput = z.input<typeof StartRequest>;

/** Answer of `POST /workflows`, and of start and resume of an instance. */
export const StartAnswer = z.object({
  workflow: WorkflowInfo,
  /** Undelivered work of earlier runs that stays parked. */
  leftover: z.number().int(),
  /** Follow the events after this one. */
  cursor: z.number().int(),
});
export type StartAnswer = z.infer<typeof StartAnswer>;

/** Answer of `POST /workflows/:target/resume`: also what was set free. */
export const ResumeAnswer = StartAnswer.extend({ changed: z.array(Delivery) });
export type ResumeAnswer = z.infer<typeof ResumeAnswer>;

/** Answer of `DELETE /workflows/:target`. */
export const StopAnswer = z.object({
  /** False: it was not running. */
  stopped: z.boolean(),
  workflow: WorkflowInfo,
});
export type StopAnswer = z.infer<typeof StopAnswer>;

export const Health = z.object({
  pid: z.number().int(),
  version: z.string(),
  uptime: z.number(),
  workflows: z.number().int(),
  running: z.number().int(),
  agents: z.number().int(),
  turns: z.number().int(),
});
export type Health = z.infer<typeof Health>;

/** `POST /agents`: a standalone agent. */
export const CreateAgentRequest = z.strictObject({
  name: z.string(),
  definition: AgentDefinition,
  cwd: z.string().min(1),
  env: Environment.default({}),
});
export type CreateAgentRequest = z.output<typeof CreateAgentRequest>;
export type CreateAgentRequestInput = z.input<typeof CreateAgentRequest>;

/** `PATCH /agents/:target`. */
export const UpdateAgentRequest = FromSomewhere.extend({ stopped: z.boolean(), env: Environment.optional() });
export type UpdateAgentRequest = z.infer<typeof UpdateAgentRequest>;

/** `POST /workflows/:target/start` and `/resume`. */
export const ControlRequest = FromSomewhere.extend({ env: Environment.optional() });
export type ControlRequest = z.infer<typeof ControlRequest>;

/** `POST /messages`. */
export const SendRequest = FromSomewhere.extend({
  target: z.string(),
  content: z.string(),
  /** Further agents that the message is for, without naming them in its text. */
  to: z.array(z.string()).max(namesPerMessage).default([]),
  private: z.boolean().default(false),
  inReplyTo: z.string().optional(),
  /** The sender waits for the answer, so each recipient handles this message alone. */
  wait: z.boolean().default(false),
  env: Environment.optional(),
});
export type SendRequest = z.output<typeof SendRequest>;
export type SendRequestInput = z.input<typeof SendRequest>;

export const SendAnswer = z.object({
  message: Message,
  /** The instance it went to, as people write it. */
  target: z.string(),
  project: z.string(),
  unknown: z.array(UnknownMention),
  /** Agents that are stopped, or whose workflow does not run: it waits there, parked. */
  parked: z.array(z.string()),
  cursor: z.number().int(),
});
export type SendAnswer = z.infer<typeof SendAnswer>;

/** `POST /inbox/:target/ack`: certain messages, or all up to one. */
export const AckRequest = FromSomewhere.extend({
  messages: z.array(z.string()).optional(),
  /** A message's id or seq. */
  until: z.string().optional(),
});
export type AckRequest = z.infer<typeof AckRequest>;

/** `POST /inbox/:target/redrive` and `/discard`. Without messages, a redrive means all that are dead. */
export const InboxRequest = FromSomewhere.extend({ messages: z.array(z.string()).optional() });
export type InboxRequest = z.infer<typeof InboxRequest>;
export const InboxAnswer = z.object({ changed: z.array(Delivery) });
export type InboxAnswer = z.infer<typeof InboxAnswer>;

/** `PUT /schedules/:target`. */
export const SetScheduleRequest = FromSomewhere.extend({
  schedule: ScheduleInput,
  /** What the agent is told each time; what its definition says unless given. */
  prompt: z.string().optional(),
});
export type SetScheduleRequest = z.infer<typeof SetScheduleRequest>;
export const ScheduleList = z.object({ schedules: z.array(ScheduleInfo) });
export type ScheduleList = z.infer<typeof ScheduleList>;

/** `POST /workflows/:target/proposals`. */
export const CreateProposalRequest = NewProposal.extend(Origin.shape).strict();
export type CreateProposalRequest = z.output<typeof CreateProposalRequest>;
export type CreateProposalRequestInput = z.input<typeof CreateProposalRequest>;
/** `POST /proposals/:id/votes`: the user's vote. */
export const VoteRequest = z.strictObject({ choice: z.string(), reason: z.string().optional() });
export type VoteRequest = z.infer<typeof VoteRequest>;
export const ProposalList = z.object({ proposals: z.array(Proposal) });
export type ProposalList = z.infer<typeof ProposalList>;
/** A proposal, and the instance it belongs to. */
export const ProposalAnswer = Proposal.extend({ target: z.string(), project: z.string() });
export type ProposalAnswer = z.infer<typeof ProposalAnswer>;
/** `GET` and `PATCH /tools/:target`. */
export const AgentToolsList = z.object({ agents: z.array(AgentTools) });
export type AgentToolsList = z.infer<typeof AgentToolsList>;
export const ChangeToolsRequest = FromSomewhere.extend(ToolingChange.shape);
export type ChangeToolsRequest = z.output<typeof ChangeToolsRequest>;

/** Query of `GET /approvals`. */
export const ApprovalQuery = Origin.extend({ target: z.string().optional(), state: ApprovalState.default("waiting") });
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

/** `GET /messages/:id/why`: all that happened to one message. */
export const Why = z.object({
  message: Message,
  target: z.string(),
  project: z.string(),
  deliveries: z.array(Delivery),
  turns: z.array(Turn),
  events: z.array(Event),
});
export type Why = z.infer<typeof Why>;

export const MessageList = z.object({ messages: z.array(Message) });
export type MessageList = z.infer<typeof MessageList>;
export const DeliveryList = z.object({ deliveries: z.array(Delivery) });
export type DeliveryList = z.infer<typeof DeliveryList>;
export const WorkflowList = z.object({ workflows: z.array(WorkflowInfo) });
export type WorkflowList = z.infer<typeof WorkflowList>;
export const AgentList = z.object({ agents: z.array(AgentInfo) });
export type AgentList = z.infer<typeof AgentList>;
/** `GET /workflows/:target/documents`. */
export const DocumentList = z.object({
  documents: z.array(DocumentInfo),
  /** The document that is meant where none is named. */
  entryPoint: z.string(),
  /** The only agent that may write; null where all may. */
  owner: z.string().nullable(),
  /** Where they lie; null when only the store has them. */
  folder: z.string().nullable(),
});
export type DocumentList = z.infer<typeof DocumentList>;
/** `GET /workflows/:target/documents/<file>?history=1`. */
export const DocumentHistory = z.object({ versions: z.array(DocumentInfo) });
export type DocumentHistory = z.infer<typeof DocumentHistory>;
/** `PUT /workflows/:target/documents/<file>`. Without a base it replaces whatever is there, as an edit of the file would. */
export const WriteDocumentRequest = FromSomewhere.extend({
  content: z.string(),
  base: z.int().min(0).optional(),
  /** Adds the content at the end instead. */
  append: z.boolean().default(false),
});
export type WriteDocumentRequest = z.output<typeof WriteDocumentRequest>;
export type WriteDocumentRequestInput = z.input<typeof WriteDocumentRequest>;
/** Its answer, and that of `DELETE`. */
export const WriteDocumentAnswer = DocumentVersion.extend({ changed: z.boolean() });
export type WriteDocumentAnswer = z.infer<typeof WriteDocumentAnswer>;
/** `GET /workflows/:target/export`: a page of the channel, with what else there is to tell of the instance. */
export const Transcript = z.object({
  workflow: WorkflowInfo,
  /** All of them, on the first page alone. */
  documents: z.array(DocumentInfo),
  /** Why the documents' folder cannot be read; they are then listed as they were last known. */
  trouble: z.string().nullable(),
  /** Those that the messages of this page ask, in their order. */
  proposals: z.array(Proposal),
  messages: z.array(Message),
  /** The next page begins after this `seq`; null on the last one. */
  next: z.number().int().nullable(),
});
export type Transcript = z.infer<typeof Transcript>;
/** `POST /workflows/:target/clear`. */
export const ClearRequest = FromSomewhere;
export const ClearAnswer = z.object({
  /** How many there were. */
  messages: z.number().int(),
  workflow: WorkflowInfo,
});
export type ClearAnswer = z.infer<typeof ClearAnswer>;
/** `POST /feedback`. */
export const FeedbackRequest = NewFeedback.strict();
export type FeedbackRequest = z.infer<typeof FeedbackRequest>;
/** `GET /feedback`: the newest first. */
export const FeedbackList = z.object({ feedback: z.array(Feedback) });
export type FeedbackList = z.infer<typeof FeedbackList>;
/** `GET /turns/:id`. */
export const TurnAnswer = z.object({
  turn: Turn,
  target: z.string(),
  deliveries: z.array(Delivery),
  messages: z.array(Message),
});
export type TurnAnswer = z.infer<typeof TurnAnswer>;
/** `GET /openapi.json`: a document of its own standard. */
export const OpenApi = z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) });
export type OpenApi = z.infer<typeof OpenApi>;
