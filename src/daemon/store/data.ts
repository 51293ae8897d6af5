/** What the store's operations take and give: all that the kernel has decided, and what became of it. */
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
  /** All of the definition but the agents, which `agents` gives. */
  definition: Omit<WorkflowDefinition, "agents">;
  mode: RunMode;
  state: WorkflowState;
  /** Counts `run`s and `start`s of this instance. */
  run: number;
  /** The values of the definition's params. */
  params: Record<string, ParamValue>;
  /** `working` once the kickoff is written; only then can a run be quiescent. In `tasks`, agents are at work already. */
  phase: "setup" | "tasks" | "working";
  startedAt: number;
  /** Whom a vote of this instance's agents has made the owner of its documents, or its coordinator. */
  elected: { documentOwner: string | null; coordinator: string | null };
};

/** An agent of an instance. `cwd` is the folder that a standalone agent was created in. */
export type Agent = {
  name: string;
  definition: AgentDefinition;
  /** The definition in the form in which it was given. */
  given: AgentInput;
  cwd: string | null;
};

export type OpenRun = {
  tag: string;
  project: string;
  dir: string;
  /** As it was given: it is stored in this form, and read again with the defaults of the version that reads it. */
  definition: WorkflowInput;
  mode: RunMode;
  fresh: boolean;
  /** In place of all schedules that there were. */
  schedules?: NewSchedule[];
  params?: Record<string, ParamValue>;
  /** Whether somebody can answer what agents ask; of a `start` true unless said, of a `run` false. */
  attended?: boolean;
  /** The identity it is registered under elsewhere, when this store is not the one that registers instances. */
  registered?: { id: string; run: number };
};

/** What a message is before it is written. Names are candidates: the store resolves them where it writes. */
export type Draft = {
  sender: string;
  content: string;
  kind: MessageKind;
  /** Names found in the text, as written. */
  mentions: string[];
  /** Whether the text says `@all`. */
  all: boolean;
  /** Names given beside the text. */
  to: string[];
  private: boolean;
  urgent: boolean;
  inReplyTo?: string;
  /** A person waits for the answer: each recipient handles it in a turn of its own. */
  asked?: boolean;
  /** A person's words that address nobody are for the only agent there is. */
  soleAgent?: boolean;
  /** Acts once: the same key again gives the first message back. */
  idempotencyKey?: string;
  /** The ranges of the content that were interpolated. */
  values?: [start: number, end: number][];
  /** What the content is only an excerpt of: kept as the message's resource. */
  whole?: string;
};

export type Appended = {
  message: Message;
  unknown: UnknownMention[];
  /** Agents now owed this message and able to run. */
  wake: string[];
  /** Agents for whom it was written parked. */
  parked: string[];
  /** Its event's place in the order. */
  cursor: number;
};

/** The right to work on one attempt of one turn. */
export type Claim = {
  workflow: string;
  agent: string;
  run: number;
  turn: string;
  attempt: number;
  /** Which entry of a mock's script this turn plays. */
  entry: number;
  fence: number;
  node: string;
};

/** A claim with what it was made for; more may be handed over while it runs. */
export type Claimed = Claim & { deliveries: Delivery[] };

export type ClaimRequest = { workflow: string; agent: string; node: string; leaseMs: number; tokenHash: string };

/** Nothing to claim: why, and when to look again. `idle` and `busy` are followed by a wake. */
export type NoClaim = { wait: "idle" | "busy" | "slots" | "stopped" } | { wait: "until"; at: number };

/** What `finish` does with the outcome; the kernel has decided all of it. */
export type Finish = {
  outcome: Outcome;
  /** The final text as a message; recipients that this turn has already addressed are left out. */
  final?: Draft & {
    /** Post it even when it addresses nobody (it answers someone); otherwise it is kept as a `log`. */
    answers: boolean;
  };
  /** Delay before attempt 2, 3, …; as many as there are retries. */
  delaysMs: number[];
  /** Set when this failure parks the work, or holds it until a time, instead of retrying it. */
  park?: {
    kind: ParkReason;
    reason: string;
    /** The cause ends by itself then: the work is held until then, pending and not due before, and keeps its run open. */
    until?: number;
  };
};

export type Finished = {
  /** Agents owed something now. */
  wake: string[];
  /** When this agent's next retry is due. */
  retryAt: number | null;
};

/** Of one agent, or certain messages, or all. */
export type DeliveryFilter = { agent?: string; messages?: string[] };

/** Deliveries that are pending again, in an instance that now runs. */
export type Freed = { changed: Delivery[]; wake: string[]; instance: Instance; cursor: number };

/** A step of `setup` or `tasks`, journaled so that a crash repeats nothing unasked. */
export type StepRecord = { step: string; state: "running" | "done" | "failed"; output: string; as: string | null };

/** A schedule as the kernel has read it, with its first slot; `prompt` is a template, null for the usual words. */
export type NewSchedule = { agent: string; schedule: Schedule; prompt: string | null; nextAt: number | null };

export type StoredSchedule = NewSchedule & {
  workflow: string;
  /** When `nextAt` was counted: a clock that shows less has been set back since. */
  countedAt: number;
  /** The slot that was last used, be it that it fired or that it was skipped. */
  lastAt: number | null;
  /** Whether agent and workflow are started, to stay. */
  active: boolean;
};

/** One slot of a schedule, to be used; without a draft it is only moved. */
export type Firing = { workflow: string; agent: string; slot: number; nextAt: number | null; draft: Draft | null };
/** Who writes a document: a turn, or someone outside of any. */
export type Writer = Claim | { workflow: string; author: "user" | "system" };

export type DocumentChange = {
  file: string;
  /** Null deletes the document. */
  content: string | null;
  /**
   * The version it is made from, 0 for a document that is not there. Left out: the newest that the turn has read or
   * written. `latest`: whatever is there now.
   */
  base?: number | "latest";
  /** Made without looking, as an addition is: who did not know the version before does not know this one. */
  blind?: boolean;
};

/** A version that was written, or was there already with the same content. */
export type DocumentWritten = { version: DocumentVersion; changed: boolean };

/** Refused, because the document is not what the change was made from; nothing was changed. */
export type DocumentConflict = {
  /** What is there now; null when the document never was. */
  current: DocumentVersion | null;
  /** What it was made from; null when that was nothing, or was never read. */
  base: DocumentVersion | null;
  /** The refused content, kept as a resource. */
  refused: string | null;
};
/** Who asks, votes or cancels: a turn, or someone outside of any. */
export type Participant = Claim | { workflow: string; name: "user" | "system" };

/** A proposal with the words that ask it; every voter is owed them. */
export type OpenProposal = { terms: ProposalTerms; content: string; deadline: number | null };

/** A proposal as it is kept. Every vote raises its revision. */
export type StoredProposal = Proposal & {
  workflow: string;
  revision: number;
  /** Those who had not voted have been told so once. */
  reminded: boolean;
};

/** How a proposal closes, and all that comes of it; the kernel has decided it from a certain revision. */
export type Closing = {
  status: Exclude<ProposalStatus, "active">;
  result: Omit<ProposalResult, "at">;
  /** What the channel is told. */
  announcement: Draft;
  /** A message that the result sends or releases. */
  send?: Draft;
  elected?: Partial<Record<keyof Instance["elected"], string>>;
  /** Whether it is to be written down among the documents. */
  isDecision: boolean;
  /** Only if nothing else of the instance is open, as seen by the transaction itself. */
  atRest?: boolean;
};

export type CastVote = {
  proposal: string;
  choice: string;
  reason: string | null;
  /** What the closing was decided from. */
  revision: number;
  closing: Closing | null;
};

/** A proposal that has changed, and the agents now owed something for it. */
export type ProposalChange = { proposal: StoredProposal; wake: string[] };
/** `position` is the step's place in the file; behind those begun before unless said. */
export type StepBegin = { step: string; position?: number; title: string; as: string | null };
/** A step that was skipped is done, and has captured nothing. */
export type StepEnd = { ok: boolean; output: string; reason: string | null; skipped?: boolean };

/** What an agent asks a person, as it is kept and shown; `hash` binds the decision to the exact arguments. */
export type NewApproval = {
  kind: ApprovalKind;
  /** What the asker calls it: asking again in the same attempt gives the same one. Null: the same while it waits. */
  request: string | null;
  tool: string;
  args: string;
  hash: string;
  inputSchema: Record<string, unknown> | null;
  cwd: string | null;
  why: string | null;
  question: string | null;
  options: string[];
  timeoutMs: number;
};

/** `after` and `until`: the seqs of the messages that ask, the latter included. */
export type ProposalFilter = { status?: ProposalStatus; after?: number; until?: number; limit: number };

/** Of one instance or agent, of those of a project, or of all. */
export type ApprovalFilter = {
  workflow?: string;
  agent?: string;
  project?: string;
  state?: ApprovalState;
  limit: number;
};

export type ApprovalDecision = {
  state: Exclude<ApprovalState, "waiting" | "cancelled">;
  by: Exclude<DecidedBy, "turn">;
  reason: string | null;
  /** The arguments in place of those that were asked for, exactly, and their own hash. */
  edited?: { args: Record<string, unknown>; hash: string };
  answer?: string;
};

/** Who is asking: a client sees all; an agent does not see what is private to others. */
export type Viewer = { agent: string } | "client";

export type EventFilter = { workflow?: string; after: number; limit: number };
