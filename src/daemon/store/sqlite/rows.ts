/** Rows of SQLite, and their mapping to the types of the protocol. The column `workflow` is an instance's id. */
import { z } from "zod";
import { AgentDefinition, type AgentInput } from "../../../protocol/definition/agent-definition.ts";
import { ParamValue, WorkflowDefinition } from "../../../protocol/definition/definition.ts";
import type { Delivery, DeliveryState, ParkReason } from "../../../protocol/delivery.ts";
import { Event } from "../../../protocol/event.ts";
import type { RunMode, WorkflowState } from "../../../protocol/instance.ts";
import type { Message, MessageKind } from "../../../protocol/message.ts";
import type { Turn, TurnState } from "../../../protocol/turn.ts";
import type { Agent, Instance, StepRecord } from "../data.ts";
import { parseOnce } from "./parse-once.ts";

export type WorkflowRow = {
  id: string;
  name: string;
  tag: string;
  project: string;
  dir: string;
  definition: string;
  mode: RunMode;
  state: WorkflowState;
  phase: "setup" | "working";
  tasks_open: number;
  kickoff_seq: number | null;
  attended: number;
  params: string;
  document_owner: string | null;
  coordinator: string | null;
  run: number;
  next_seq: number;
  run_first_seq: number;
  last_fence: number;
  concurrency: number;
  started_at: number;
  ended_at: number | null;
  result: string | null;
};

export type AgentRow = {
  workflow: string;
  name: string;
  definition: string;
  cwd: string | null;
  stopped: number;
  status: string | null;
  next_entry: number;
  fence: number;
  lease_node: string | null;
  lease_until: number | null;
  turn: string | null;
};

export type TurnRow = {
  id: string;
  workflow: string;
  agent: string;
  run: number;
  state: TurnState;
  attempt: number;
  entry: number;
  parent: string | null;
  hop: number;
  open: number;
  reason: string | null;
  text: string | null;
  input_tokens: number;
  output_tokens: number;
  cost: number | null;
  used: number;
  started_at: number;
  attempt_started_at: number;
  ended_at: number | null;
};

export type MessageRow = {
  id: string;
  workflow: string;
  seq: number;
  run: number;
  sender: string;
  recipients: string;
  content: string;
  kind: MessageKind;
  priority: number;
  private: number;
  in_reply_to: string | null;
  hop: number;
  turn: string | null;
  created_at: number;
  resource: string | null;
  value_ranges: string | null;
};

/** A delivery joined with its message; see `deliveryColumns`. */
export type DeliveryRow = MessageRow & {
  agent: string;
  asked: number;
  state: DeliveryState;
  attempts: number;
  crashes: number;
  not_before: number;
  acked: number;
  reason: string | null;
  park_kind: ParkReason | null;
  claimed_by: string | null;
  updated_at: number;
};

export const deliveryColumns = `m.*, d.agent, d.asked, d.state, d.attempts, d.crashes, d.not_before, d.acked, d.reason,
  d.park_kind, d.turn AS claimed_by, d.updated_at`;

export type EventRow = {
  seq: number;
  at: number;
  run: number;
  type: string;
  agent: string | null;
  turn: string | null;
  message: string | null;
  data: string;
  name: string;
  tag: string;
  project: string;
};

const Params = z.record(z.string(), ParamValue);
const StoredDefinition = WorkflowDefinition.omit({ agents: true });
const readDefinition = parseOnce((text) => StoredDefinition.parse(JSON.parse(text)));
const readParams = parseOnce((text) => Params.parse(JSON.parse(text)));
const readAgentDefinition = parseOnce((text) => {
  const given: AgentInput = JSON.parse(text);
  return { given, definition: AgentDefinition.parse(given) };
});

export function toInstance(row: WorkflowRow): Instance {
  return {
    id: row.id,
    name: row.name,
    tag: row.tag,
    project: row.project,
    dir: row.dir,
    definition: readDefinition(row.definition),
    mode: row.mode,
    state: row.state,
    run: row.run,
    params: readParams(row.params),
    phase: row.phase === "working" && row.tasks_open ? "tasks" : row.phase,
    startedAt: row.started_at,
    elected: { documentOwner: row.document_owner, coordinator: row.coordinator },
  };
}

export function toAgent(row: AgentRow): Agent {
  return { name: row.name, ...readAgentDefinition(row.definition), cwd: row.cwd };
}

export function toMessage(row: MessageRow): Message {
  return {
    id: row.id,
    seq: row.seq,
    run: row.run,
    sender: row.sender,
    recipients: JSON.parse(row.recipients),
    content: row.content,
    kind: row.kind,
    priority: row.priority === 0 ? "high" : "normal",
    private: row.private === 1,
    inReplyTo: row.in_reply_to,
    hop: row.hop,
    turn: row.turn,
    createdAt: row.created_at,
    ...(row.resource !== null && { resource: row.resource }),
    ...(row.value_ranges !== null && { values: JSON.parse(row.value_ranges) }),
  };
}

export function toDelivery(row: DeliveryRow): Delivery {
  return {
    agent: row.agent,
    message: toMessage(row),
    state: row.state,
    attempts: row.attempts,
    notBefore: row.not_before === 0 ? null : row.not_before,
    acked: row.acked === 1,
    reason: row.reason,
    parkReason: row.park_kind,
    turn: row.claimed_by,
    updatedAt: row.updated_at,
  };
}

export function toTurn(row: TurnRow): Turn {
  return {
    id: row.id,
    agent: row.agent,
    run: row.run,
    state: row.state,
    attempt: row.attempt,
    entry: row.entry,
    parent: row.parent,
    reason: row.reason,
    text: row.text,
    usage: toUsage(row),
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}

export function toUsage(row: Pick<TurnRow, "used" | "input_tokens" | "output_tokens" | "cost">): Turn["usage"] {
  if (row.used === 0) return null;
  return {
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    ...(row.cost !== null && { cost: row.cost }),
  };
}

export function toEvent(row: EventRow): Event {
  const { name, tag, project, data, ...rest } = row;
  return Event.parse({ ...rest, workflow: name, tag, project, data: JSON.parse(data) });
}

export function toStep(row: {
  step: string;
  state: StepRecord["state"];
  output: string;
  captured_as: string | null;
}): StepRecord {
  return { step: row.step, state: row.state, output: row.output, as: row.captured_as };
}
