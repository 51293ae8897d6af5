/** The protocol's schemas by name, as JSON Schemas that reference each other: each is described once. */
import { z } from "zod";
import { Action } from "../action.ts";
import { AgentDefinition, Retry } from "../definition/agent-definition.ts";
import {
  Limits,
  ParallelTask,
  ParamDefinition,
  SendTask,
  SetupStep,
  ShellTask,
  Task,
  WorkflowDefinition,
} from "../definition/definition.ts";
import { Duration } from "../definition/duration.ts";
import { MockScript } from "../definition/mock-script.ts";
import { Delivery, InboxCounts } from "../delivery.ts";
import { DocumentInfo } from "../document.ts";
import { errorTable } from "../error.ts";
import { Event } from "../event.ts";
import { Message, UnknownMention } from "../message.ts";
import { Proposal, ProposalOption, ProposalResult, Vote } from "../proposal.ts";
import { Schedule, ScheduleInput } from "../schedule.ts";
import { AgentTools, ToolInfo } from "../tooling.ts";
import { ToolMessage } from "../tools/message.ts";
import { Turn, Usage } from "../turn.ts";
import type { Named, Route } from "./route.ts";
import { routes } from "./routes.ts";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The response of every route when it refuses or fails. */
const ErrorResponse = z.object({
  error: z.object({
    code: z.enum(Object.keys(errorTable)),
    message: z.string(),
    /** What to do about it, as text. */
    hint: z.string().optional(),
    /** What to do about it, as data that a client can show as a command or a button. */
    actions: z.array(Action).optional(),
    details: z.unknown().optional(),
  }),
});

/** Parts of requests that have their own name. */
const requestParts = {
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

/** Parts of responses that have their own name. */
const responseParts = {
  Proposal,
  ProposalOption,
  ProposalResult,
  Vote,
  AgentTools,
  ToolInfo,
  Schedule,
  InboxCounts,
  Usage,
  Message,
  UnknownMention,
  Delivery,
  Turn,
  DocumentInfo,
};

const all: Route[] = Object.values(routes);

/** What clients send. */
export const requestShapes = collect([
  ...all.map(({ body, bodyName }) => (bodyName === undefined ? {} : { [bodyName]: body })),
  requestParts,
]);

/** What the daemon responds. */
export const responseShapes = collect([
  ...all.map(({ response }) => (typeof response === "string" ? {} : response)),
  responseParts,
]);

/** Maps the name of a shape to its `$ref`. */
type Refer = (name: string) => string;

export function requestSchemas(refer?: Refer): Record<string, JsonSchema> {
  return describe(requestShapes, "input", refer);
}

export function responseSchemas(refer?: Refer): Record<string, JsonSchema> {
  return describe({ ...responseShapes, Event, ErrorResponse, Action }, "output", refer);
}

/** The schema of a tool's input or result; shapes that tools share are referenced. */
export function toolSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  return describe({ tool: schema, ToolMessage, UnknownMention, DocumentInfo }, io)["tool"] ?? {};
}

export function toolShapes(): Record<string, JsonSchema> {
  return describe({ ToolMessage, UnknownMention, DocumentInfo }, "output");
}

function describe(schemas: Named, io: "input" | "output", refer: Refer = (name) => name): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  return z.toJSONSchema(registry, { io, uri: refer, unrepresentable: "any" }).schemas;
}

/** Merges the groups in the order of the routes. Throws if two schemas have the same name. */
function collect(groups: Named[]): Named {
  const found = new Map<string, z.ZodType>();
  for (const [name, schema] of groups.flatMap((group) => Object.entries(group))) {
    if ((found.get(name) ?? schema) !== schema) throw new Error(`${name} is the name of two schemas`);
    found.set(name, schema);
  }
  return Object.fromEntries(found);
}
