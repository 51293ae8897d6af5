/** Events: what happened, in order. Everything shown to people derives from them. All but `text-delta` are stored. */
import { z } from "zod";
import { ApprovalKind, ApprovalState, DecidedBy } from "./approval.ts";
import { ParkReason } from "./delivery.ts";
import { RunMode, RunResult } from "./instance.ts";
import { Message } from "./message.ts";
import { ElectedRole, ProposalResult, ProposalStatus, ProposalType } from "./proposal.ts";
import { Usage } from "./turn.ts";

const head = {
  /** Its position in the order; 0 for a `text-delta`, which is streamed and not stored. */
  seq: z.number().int(),
  at: z.number(),
  workflow: z.string(),
  tag: z.string(),
  project: z.string(),
  run: z.number().int(),
};
const agent = z.string();
const turn = z.string();
/** The id of a message. */
const message = z.string();

const TextDelta = z.object({ type: z.literal("text-delta"), text: z.string() });
const ToolCall = z.object({ type: z.literal("tool-call"), call: z.string(), tool: z.string(), args: z.string() });
const ToolResult = z.object({
  type: z.literal("tool-result"),
  call: z.string(),
  tool: z.string(),
  ok: z.boolean(),
  text: z.string(),
});
/** The program has lost the session that the turn was meant to continue and starts a new one; `reason` says why. */
const ThreadLost = z.object({ type: z.literal("thread-lost"), reason: z.string() });

/** What a backend and its worker report during a turn. Each becomes the event of the same type, below. */
export const Activity = z.discriminatedUnion("type", [TextDelta, ToolCall, ToolResult, ThreadLost]);
export type Activity = z.infer<typeof Activity>;
/** Text deltas are only streamed, not stored. */
export type StoredActivity = Exclude<Activity, { type: "text-delta" }>;

export const Event = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("workflow-start"),
    ...head,
    data: z.object({ mode: RunMode, agents: z.array(z.string()) }),
  }),
  z.object({ type: z.literal("workflow-end"), ...head, data: RunResult }),
  z.object({ type: z.literal("message"), ...head, message, turn: turn.nullable(), data: Message }),
  z.object({ type: z.literal("delivery-claim"), ...head, agent, turn, message, data: z.object({}) }),
  z.object({
    type: z.literal("delivery-done"),
    ...head,
    agent,
    turn: turn.nullable(),
    message,
    /** `reason`: why it no longer had to be handled. */
    data: z.object({ discarded: z.boolean(), reason: z.string().optional() }),
  }),
  z.object({
    type: z.literal("delivery-dead"),
    ...head,
    agent,
    turn,
    message,
    data: z.object({ attempts: z.number(), reason: z.string() }),
  }),
  z.object({
    type: z.literal("turn-start"),
    ...head,
    agent,
    turn,
    data: z.object({ attempt: z.number(), messages: z.array(z.string()) }),
  }),
  eventOf(TextDelta),
  eventOf(ToolCall),
  eventOf(ToolResult),
  eventOf(ThreadLost),
  z.object({
    type: z.literal("turn-end"),
    ...head,
    agent,
    turn,
    data: z.object({
      attempt: z.number(),
      /** `released`: interrupted by a stop, a shutdown or a crash of the daemon; the attempt is not counted. */
      status: z.enum(["succeeded", "failed", "released"]),
      reason: z.string().nullable(),
      text: z.string().nullable(),
      usage: Usage.nullable(),
      duration: z.number(),
    }),
  }),
  z.object({
    type: z.literal("turn-retry"),
    ...head,
    agent,
    turn,
    message,
    /** The next attempt, the maximum number of attempts, the reason, and the time of the next attempt. */
    data: z.object({ attempt: z.number(), attempts: z.number(), reason: z.string(), at: z.number() }),
  }),
  z.object({
    type: z.literal("approval-ask"),
    ...head,
    agent,
    turn,
    data: z.object({
      approval: z.string(),
      kind: ApprovalKind,
      tool: z.string(),
      args: z.string(),
      /** Whether `args` is complete. */
      whole: z.boolean().default(true),
      masked: z.number().int().default(0),
      cwd: z.string().nullable(),
      why: z.string().nullable(),
      question: z.string().nullable(),
      options: z.array(z.string()),
      deadline: z.number(),
    }),
  }),
  z.object({
    type: z.literal("approval-decide"),
    ...head,
    agent,
    turn,
    data: z.object({
      approval: z.string(),
      kind: ApprovalKind,
      tool: z.string(),
      state: ApprovalState,
      by: DecidedBy,
      reason: z.string().nullable(),
      /** Whether the arguments differ from the requested ones. */
      edited: z.boolean(),
      answer: z.string().nullable(),
    }),
  }),
  z.object({
    type: z.literal("document-write"),
    ...head,
    turn: turn.nullable(),
    data: z.object({
      file: z.string(),
      version: z.number().int(),
      author: z.string(),
      bytes: z.number().int(),
      deleted: z.boolean(),
    }),
  }),
  z.object({ type: z.literal("task-start"), ...head, data: z.object({ step: z.string(), title: z.string() }) }),
  z.object({
    type: z.literal("task-end"),
    ...head,
    data: z.object({
      step: z.string(),
      title: z.string(),
      ok: z.boolean(),
      reason: z.string().nullable(),
      duration: z.number(),
    }),
  }),
  z.object({
    type: z.literal("proposal-open"),
    ...head,
    message,
    turn: turn.nullable(),
    data: z.object({
      proposal: ProposalType,
      title: z.string(),
      creator: z.string(),
      options: z.array(z.string()),
      voters: z.array(z.string()),
      deadline: z.number().nullable(),
    }),
  }),
  z.object({
    type: z.literal("proposal-vote"),
    ...head,
    message,
    turn: turn.nullable(),
    /** `changed`: replaces an earlier vote. */
    data: z.object({ voter: z.string(), choice: z.string(), reason: z.string().nullable(), changed: z.boolean() }),
  }),
  z.object({
    type: z.literal("proposal-close"),
    ...head,
    message,
    data: ProposalResult.extend({
      title: z.string(),
      status: ProposalStatus,
      /** The role that the winner gets. */
      role: ElectedRole.nullable(),
    }),
  }),
  z.object({
    type: z.literal("schedule-fire"),
    ...head,
    agent,
    message,
    /** The slot that fired, and the next one. */
    data: z.object({ slot: z.number(), nextAt: z.number().nullable() }),
  }),
  z.object({
    type: z.literal("work-parked"),
    ...head,
    agent,
    message,
    /** With `until`, it is held until that time and then continues by itself; the run waits for it. */
    data: z.object({ kind: ParkReason, reason: z.string(), until: z.number().optional() }),
  }),
  z.object({
    type: z.literal("work-resumed"),
    ...head,
    agent,
    message,
    data: z.object({ by: z.enum(["redrive", "resume", "start"]) }),
  }),
]);
export type Event = z.infer<typeof Event>;
export type EventType = Event["type"];
/** The event of one type. */
export type EventOf<Type extends EventType> = Extract<Event, { type: Type }>;

/** The event for an activity: its agent and turn, and its fields as data. */
function eventOf<Type extends z.ZodLiteral, Fields extends z.ZodRawShape>(
  activity: z.ZodObject<{ type: Type } & Fields>,
) {
  const { type, ...data } = activity.shape;
  return z.object({ type, ...head, agent, turn, data: z.object(data) });
}
