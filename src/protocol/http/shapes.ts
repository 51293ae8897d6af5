/** The protocol's schemas by name, as JSON Schemas that refer to each other: each is told once and linked to. */
import { z } from "zod";
import { Approval } from "../approval.ts";
import { AgentDefinition, Retry } from "../definition/agent-definition.ts";
import {
  ParallelTask,
  ParamDefinition,
  SendTask,
  SetupStep,
  ShellTask,
  Task,
  WorkflowDefinition,
  Limits,
} from "../definition/definition.ts";
import { Duration } from "../definition/duration.ts";
import { MockScript } from "../definition/mock-script.ts";
import { Delivery, InboxCounts } from "../delivery.ts";
import { DocumentInfo, DocumentVersion } from "../document.ts";
import { Event } from "../event.ts";
import { Feedback } from "../feedback.ts";
import * as http from "./bodies.ts";
import { AgentInfo, RunResult, WorkflowInfo } from "../instance.ts";
import { Message, UnknownMention } from "../message.ts";
import { Proposal, ProposalOption, ProposalResult, Vote } from "../proposal.ts";
import { Schedule, ScheduleInfo, ScheduleInput } from "../schedule.ts";
import { ResourcePart } from "../resource.ts";
import { AgentTools, ToolInfo } from "../tooling.ts";
import { ToolMessage } from "../tools/message.ts";
import { Turn, Usage } from "../turn.ts";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

const { StartRequest, CreateAgentRequest, UpdateAgentRequest, ControlRequest, SendRequest, AckRequest, InboxRequest } =
  http;
const { WriteDocumentRequest } = http;

/** What clients send. */
export const sent = {
  StartRequest,
  CreateAgentRequest,
  UpdateAgentRequest,
  ControlRequest,
  SendRequest,
  AckRequest,
  InboxRequest,
  SetScheduleRequest: http.SetScheduleRequest,
  CreateProposalRequest: http.CreateProposalRequest,
  VoteRequest: http.VoteRequest,
  ChangeToolsRequest: http.ChangeToolsRequest,
  WriteDocumentRequest,
  ClearRequest: http.ClearRequest,
  FeedbackRequest: http.FeedbackRequest,
  DecideRequest: http.DecideRequest,
  WorkflowDefinition,
  AgentDefinition,
  Retry,
  ParamDefinition,
  SetupStep,
  Task,
  ShellTask,
  SendTask,
  ParallelTask,
  Limits,
  Duration,
  ScheduleInput,
  MockScript,
};

const { StartAnswer, ResumeAnswer, StopAnswer, Health, SendAnswer, InboxAnswer, Why, TurnAnswer } = http;
const { MessageList, DeliveryList, WorkflowList, AgentList } = http;
const { DocumentList, DocumentHistory, WriteDocumentAnswer } = http;

/** What the daemon answers. */
export const answered = {
  Health,
  StartAnswer,
  ResumeAnswer,
  StopAnswer,
  ShutdownAnswer: z.object({ ok: z.boolean() }),
  SendAnswer,
  InboxAnswer,
  Why,
  TurnAnswer,
  MessageList,
  DeliveryList,
  WorkflowList,
  AgentList,
  ScheduleList: http.ScheduleList,
  ProposalList: http.ProposalList,
  ProposalAnswer: http.ProposalAnswer,
  Proposal,
  ProposalOption,
  ProposalResult,
  Vote,
  AgentToolsList: http.AgentToolsList,
  AgentTools,
  ToolInfo,
  ScheduleInfo,
  Schedule,
  ApprovalList: http.ApprovalList,
  Approval,
  WorkflowInfo,
  AgentInfo,
  InboxCounts,
  RunResult,
  Usage,
  Message,
  UnknownMention,
  Delivery,
  Turn,
  DocumentList,
  DocumentHistory,
  DocumentVersion,
  DocumentInfo,
  WriteDocumentAnswer,
  Transcript: http.Transcript,
  ClearAnswer: http.ClearAnswer,
  FeedbackList: http.FeedbackList,
  Feedback,
  ResourcePart,
  OpenApi: http.OpenApi,
};

export type SentName = keyof typeof sent;
export type AnsweredName = keyof typeof answered;

/** What another shape is called in `$ref`, by its name. */
type Refer = (name: string) => string;

export function sentSchemas(refer?: Refer): Record<string, JsonSchema> {
  return describe(sent, "input", refer);
}

export function answeredSchemas(refer?: Refer): Record<string, JsonSchema> {
  return describe({ ...answered, Event, ErrorAnswer: http.ErrorAnswer }, "output", refer);
}

/** A tool's input or result, with the shapes that tools share. */
export function toolSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  return describe({ tool: schema, ToolMessage, UnknownMention, DocumentInfo }, io)["tool"] ?? {};
}

export function toolShapes(): Record<string, JsonSchema> {
  return describe({ ToolMessage, UnknownMention, DocumentInfo }, "output");
}

function describe(
  schemas: Record<string, z.ZodType>,
  io: "input" | "output",
  refer: Refer = (name) => name,
): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  return z.toJSONSchema(registry, { io, uri: refer, unrepresentable: "any" }).schemas;
}
