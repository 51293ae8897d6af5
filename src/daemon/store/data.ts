/** The parameters and results of the store's operations. */
import type { ApprovalKind, ApprovalState, DecidedBy } from "../../protocol/approval.ts";
import type { AgentDefinition, AgentInput } from "../../protocol/definition/agent-definition.ts";
import type { ParamValue, WorkflowDefinition, WorkflowInput } from "../../protocol/definition/definition.ts";
import type { Delivery, ParkReason } from "../../protocol/delivery.ts";
import type { DocumentVersion } from "../../protocol/document.ts";
import type { RunMode, WorkflowState } from "../../protocol/instance.ts";
import type { Message, MessageKind, UnknownMention } from "../../protocol/message.ts";
import type { Proposal, ProposalResult, ProposalStatus, ProposalTerms } from "../../protocol/proposal.ts";
import type { Schedule } from "../../protocol/schedule.ts";
import type { Outcome } from "../../protocol/turn.ts";

/** A workflow instance as the kernel needs it. */
export type Instance = {
  id: string;
  name: string;
  tag: string;
  project: string;
  /** The folder of the workflow file. */
  dir: string;
  /** The definition without the agents, which `agents` returns. */
  definition: Omit<WorkflowDefinition, "agents">;
  mode: RunMode;
  state: WorkflowState;
  /** Counts `run`s and `start`s of this instance. */
  run: number;
  /** The values of the definition's params. */
  params: Record<string, ParamValue>;
  /** `working` once the kickoff is written; only then can a run be quiescent. In `tasks`, agents already work. */
  phase: "setup" | "tasks" | "working";
  startedAt: number;
  /** The agents elected as owner of the documents and as coordinator. */
  elected: { documentOwner: string | null; coordinator: string | null };
};

/** An agent of an instance. `cwd`: the folder in which a standalone agent was created. */
export type Agent = {
  name: string;
  definition: AgentDefinition;
  /** The definition as it was given. */
  given: AgentInput;
  cwd: string | null;
};

export type OpenRun = {
  tag: string;
  project: string;
  dir: string;
  /** As it was given: stored in this form, and read with the defaults of the version that reads it. */
  definition: WorkflowInput;
  mode: RunMode;
  fresh: boolean;
  /** Replace all earlier schedules. */
  schedules?: NewSchedule[];
  params?: Record<string, ParamValue>;
  /** Whether a person can answer the agents' questions. Default: true for a `start`, false for a `run`. */
  attended?: boolean;
  /** Its identity in the store that registers instances, if that is another store. */
  registered?: { id: string; run: number };
};

/** A message before it is written. Names are candidates: the store resolves them when it writes. */
export type Draft = {
  sender: string;
  content: string;
  kind: MessageKind;
  /** Names found in the text, as written. */
  mentions: string[];
  /** Whether the text contains `@all`. */
  all: boolean;
  /** Recipients given in addition to the text. */
  to: string[];
  private: boolean;
  urgent: boolean;
  inReplyTo?: string;
  /** A person waits for the answer: each recipient handles it in a separate turn. */
  asked?: boolean;
  /** Without recipients, the message goes to the only agent or to the coordinator. */
  soleAgent?: boolean;
  /** The same key again returns the first message. */
  idempotencyKey?: string;
  /** The interpolated ranges of the content. */
  values?: [start: number, end: number][];
  /** The full text, if the content is an excerpt: kept as the message's resource. */
  whole?: string;
};

export type Appended = {
  message: Message;
  unknown: UnknownMention[];
  /** Recipients that can run. */
  wake: string[];
  /** Recipients whose delivery is parked. */
  parked: string[];
  /** The number of its event. */
  cursor: number;
};

/** The right to work on one attempt of one turn. */
export type Claim = {
  instance: string;
  agent: string;
  run: number;
  turn: string;
  attempt: number;
  /** The entry of a mock's script for this turn. */
  entry: number;
  fence: number;
  node: string;
};

/** A claim with its deliveries; it can get more while it runs. */
export type Claimed = Claim & { deliveries: Delivery[] };

export type ClaimRequest = { instance: string; agent: string; node: string; leaseMs: number; tokenHash: string };

/** Nothing to claim: why, and when to try again. After `idle` and `busy` a wake comes. */
export type NoClaim = { wait: "idle" | "busy" | "slots" | "stopped" } | { wait: "until"; at: number };

/** How a turn ends, as decided by the kernel. */
export type Finish = {
  outcome: Outcome;
  /** The final text as a message; recipients that this turn has already written to are left out. */
  final?: Draft & {
    /** It answers a person: posted even without recipients. Otherwise kept as a `log`. */
    answers: boolean;
  };
  /** Delays before attempt 2, 3, …: one per retry. */
  delaysMs: number[];
  /** Set if this failure parks the work, or holds it until a time, instead of retrying it. */
  park?: {
    kind: ParkReason;
    reason: string;
    /** When the cause ends by itself: until then the work is held, pending but not due, and keeps its run open. */
    until?: number;
  };
};

export type Finished = {
  /** Agents that now have work. */
  wake: string[];
  /** When this agent's next retry is due. */
  retryAt: number | null;
};

/** One agent, certain messages, or all. */
export type DeliveryFilter = { agent?: string; messages?: string[] };

/** Deliveries that are pending again, in an instance that is now running. */
export type Freed = { changed: Delivery[]; wake: string[]; instance: Instance; cursor: number };

/** The record of a step of `setup` or `tasks`. */
export type StepRecord = { step: string; state: "running" | "done" | "failed"; output: string; as: string | null };

/** A parsed schedule with its first slot; `prompt` is a template, null for the default prompt. */
export type NewSchedule = { agent: string; schedule: Schedule; prompt: string | null; nextAt: number | null };

export type StoredSchedule = NewSchedule & {
  instance: string;
  /** When `nextAt` was computed: if the clock shows less, it was set back. */
  countedAt: number;
  /** The slot used last, whether it fired or was skipped. */
  lastAt: number | null;
  /** Whether the agent and its workflow are started. */
  active: boolean;
};

/** A slot of a schedule to use; without a draft it is only moved. */
export type Firing = { instance: string; agent: string; slot: number; nextAt: number | null; draft: Draft | null };
/** The writer of a document: a turn, the user or the system. */
export type Writer = Claim | { instance: string; author: "user" | "system" };

export type DocumentChange = {
  file: string;
  /** Null deletes the document. */
  content: string | null;
  /**
   * The version that the change is based on, 0 for a new document. Default: the newest that the turn has read or
   * written. `latest`: the current version.
   */
  base?: number | "latest";
  /** Made without reading, as with an append: the writer does not know the resulting version. */
  blind?: boolean;
};

/** The version written, or the existing one with the same content. */
export type DocumentWritten = { version: DocumentVersion; changed: boolean };

/** The change was rejected: it is not based on the current version. Nothing was changed. */
export type DocumentConflict = {
  /** The current version; null if the document never existed. */
  current: DocumentVersion | null;
  /** The version it is based on; null if there was none, or it was never read. */
  base: DocumentVersion | null;
  /** The rejected content, kept as a resource. */
  refused: string | null;
};
/** The creator, voter or canceller: a turn, the user or the system. */
export type Participant = Claim | { instance: string; name: "user" | "system" };

/** A proposal with the message that asks for votes, which goes to every voter. */
export type OpenProposal = { terms: ProposalTerms; content: string; deadline: number | null };

/** A stored proposal. Every vote increases its revision. */
export type StoredProposal = Proposal & {
  instance: string;
  revision: number;
  /** The missing voters have been reminded. */
  reminded: boolean;
};

/** How a proposal closes, with all effects, as decided by the kernel for one revision. */
export type Closing = {
  status: Exclude<ProposalStatus, "active">;
  result: Omit<ProposalResult, "at">;
  /** The message to the channel. */
  announcement: Draft;
  /** A message that the result sends or releases. */
  send?: Draft;
  elected?: Partial<Record<keyof Instance["elected"], string>>;
  /** Whether it is written to the documents. */
  isDecision: boolean;
  /** Close only if nothing else of the instance is open, checked in the transaction. */
  atRest?: boolean;
};

export type CastVote = {
  proposal: string;
  choice: string;
  reason: string | null;
  /** The revision that the closing was decided for. */
  revision: number;
  closing: Closing | null;
};

/** A changed proposal, and the agents that now have work. */
export type ProposalChange = { proposal: StoredProposal; wake: string[] };
/** `position`: the step's position in the file. Default: after the steps started before. */
export type StepBegin = { step: string; position?: number; title: string; as: string | null };
/** A skipped step is done, without a captured output. */
export type StepEnd = { ok: boolean; output: string; reason: string | null; skipped?: boolean };

/** A request to a person, as stored and shown; `hash` binds the decision to the exact arguments. */
export type NewApproval = {
  kind: ApprovalKind;
  /** The caller's id: asking again in the same attempt returns the same approval. Null: the same while it waits. */
  request: string | null;
  tool: string;
  args: string;
  /** How many secrets are masked in this request. */
  masked: number;
  hash: string;
  inputSchema: Record<string, unknown> | null;
  cwd: string | null;
  why: string | null;
  question: string | null;
  options: string[];
  timeoutMs: number;
};

/** `after` and `until`: seqs of the messages that ask for votes; `until` is included. */
export type ProposalFilter = { status?: ProposalStatus; after?: number; until?: number; limit: number };

/** One instance or agent, one project, or all. */
export type ApprovalFilter = {
  instance?: string;
  agent?: string;
  project?: string;
  state?: ApprovalState;
  limit: number;
};

export type ApprovalDecision = {
  state: Exclude<ApprovalState, "waiting" | "cancelled">;
  by: Exclude<DecidedBy, "turn">;
  reason: string | null;
  /** The exact arguments that replace the requested ones, and their hash. */
  edited?: { args: Record<string, unknown>; hash: string };
  answer?: string;
};

/** Who reads: a client sees everything; an agent does not see private messages of others. */
export type Viewer = { agent: string } | "client";

export type EventFilter = { instance?: string; after: number; limit: number };
