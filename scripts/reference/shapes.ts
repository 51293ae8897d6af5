/** The protocol's schemas by name, as JSON Schemas that refer to each other: each is told once and linked to. */
import { z } from "zod";
import { Approval } from "../../src/protocol/approval.ts";
import * as definition from "../../src/protocol/definition.ts";
import { Delivery, InboxCounts } from "../../src/protocol/delivery.ts";
import { DocumentInfo, DocumentVersion } from "../../src/protocol/document.ts";
import { Event } from "../../src/protocol/event.ts";
import * as http from "../../src/protocol/http.ts";
import { AgentInfo, RunResult, WorkflowInfo } from "../../src/protocol/instance.ts";
import { Message, UnknownMention } from "../../src/protocol/message.ts";
import { Schedule, ScheduleInfo, ScheduleInput } from "../../src/protocol/schedule.ts";
import { ResourcePart } from "../../src/protocol/resource.ts";
import { ToolMessage } from "../../src/protocol/tools.ts";
import { Turn, Usage } from "../../src/protocol/turn.ts";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

const { StartRequest, CreateAgentRequest, UpdateAgentRequest, ControlRequest, SendRequest, AckRequest, InboxRequest } =
  http;
const { WriteDocumentRequest } = http;
const { WorkflowDefinition, AgentDefinition, Retry, SetupStep, Limits, Duration, MockScript } = definition;
const { ParamDefinition, Task, ShellTask, SendTask, ParallelTask } = definition;

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
  WriteDocumentRequest,
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
  ResourcePart,
};

export type SentName = keyof typeof sent;
export type AnsweredName = keyof typeof answered;

export function sentSchemas(): Record<string, JsonSchema> {
  return describe(sent, "input");
}

export function answeredSchemas(): Record<string, JsonSchema> {
  return describe({ ...answered, Event }, "output");
}

/** A tool's input or result, with the shapes that tools share. */
export function toolSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  return describe({ tool: schema, ToolMessage, UnknownMention, DocumentInfo }, io)["tool"] ?? {};
}

export function toolShapes(): Record<string, JsonSchema> {
  return describe({ ToolMessage, UnknownMention, DocumentInfo }, "output");
}

function describe(schemas: Record<string, z.ZodType>, io: "input" | "output"): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  return z.toJSONSchema(registry, { io, uri: (id) => id, unrepresentable: "any" }).schemas;
}
