/**
 * The store's seam: coarse operations, each one atomic transaction, durable when its promise resolves. Only the claims of
 * `claim`, `checkInbox`, `noteWorker` and `renew` need not outlive a loss of power, which ends all who work on them.
 *
 * The kernel decides what is to happen and passes it as data; an engine does it, its own best way. No operation
 * leaves a transaction open, none calls back, and none reads a clock but the engine's own. A turn's operations take
 * its claim and check the fence in their own transaction: once the turn has been taken away they throw `fenced` and
 * change nothing. `test/contract/store.ts` is what every engine has to pass.
 */
import type { Approval, ApprovalKind, ApprovalState, DecidedBy } from "../../protocol/approval.ts";
import type { AgentDefinition, AgentInput } from "../../protocol/agent-definition.ts";
import type { ParamValue, WorkflowDefinition, WorkflowInput } from "../../protocol/definition.ts";
import type { Delivery, DeliveryState, ParkReason } from "../../protocol/delivery.ts";
import type { DocumentInfo, DocumentVersion } from "../../protocol/document.ts";
import type { Event } from "../../protocol/event.ts";
import type { Feedback, NewFeedback } from "../../protocol/feedback.ts";
import type { AgentInfo, RunMode, RunResult, WorkflowInfo, WorkflowState } from "../../protocol/instance.ts";
import type { Message, MessageKind, UnknownMention } from "../../protocol/message.ts";
import type { Proposal, ProposalResult, ProposalStatus, Question } from "../../protocol/proposal.ts";
import type { Schedule } from "../../protocol/schedule.ts";
import type { Tooling, ToolingChange } from "../../protocol/tooling.ts";
import type { ResourceInfo, ResourcePart } from "../../protocol/resource.ts";
import type { Outcome, Turn } from "../../protocol/turn.ts";

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

/** A question with the words that ask it; every voter is owed them. */
export type OpenProposal = { question: Question; content: string; deadline: number | null };

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

export interface Store {
  // Instances
  /** Creates the instance or opens its next run; throws `already-running`. */
  openRun(request: OpenRun): Promise<{ instance: Instance; leftover: number; cursor: number }>;
  /** Leaves the phase `setup` for `tasks`: from now on agents can be claimed for. False when it was left or stopped before. */
  beginTasks(workflow: string): Promise<boolean>;
  /** Writes the kickoff, if any, and begins the phase `working`, in one transaction; null when it has begun or was stopped. */
  kickoff(workflow: string, draft: Draft | null): Promise<Appended | null>;
  /** Ends a `run` if it is exactly quiescent; null when it is not, or has ended already. */
  closeRun(workflow: string): Promise<RunResult | null>;
  /** Ends a run or persistent workflow now, parking what is open; null when it has ended already. */
  endRun(
    workflow: string,
    end: { status: RunResult["status"]; exitCode: number; reason: string | null },
  ): Promise<RunResult | null>;
  /** Goes on with an instance that has ended or was stopped: what was parked for one of `free` is pending again. */
  reopen(
    workflow: string,
    mode: RunMode,
    free: ParkReason[],
  ): Promise<{ instance: Instance; wake: string[]; cursor: number }>;
  removeWorkflow(workflow: string): Promise<void>;
  /** Forgets all that happened in an instance, but for who there is; gives how much was said. Throws `already-running`. */
  clearWorkflow(workflow: string): Promise<{ messages: number }>;
  instance(id: string): Promise<Instance | null>;
  instances(filter?: { name?: string; tag?: string; project?: string; state?: WorkflowState }): Promise<Instance[]>;
  workflowInfo(id: string): Promise<WorkflowInfo>;
  agents(workflow: string): Promise<Agent[]>;
  agentInfos(workflow: string): Promise<AgentInfo[]>;

  // Agents
  /** Adds an agent to a running instance; throws `conflict` when the name is taken. */
  addAgent(workflow: string, name: string, definition: AgentInput, cwd: string, schedule?: NewSchedule): Promise<void>;
  removeAgent(workflow: string, name: string): Promise<void>;
  /** Stops or frees one agent; its open deliveries are parked or pending again. */
  setStopped(workflow: string, agent: string, stopped: boolean): Promise<{ wake: string[] }>;
  setStatus(claim: Claim, text: string): Promise<void>;
  /** What people gave it besides its definition; until a run is opened with a definition. */
  tooling(workflow: string, agent: string): Promise<Tooling>;
  changeTooling(workflow: string, agent: string, change: ToolingChange): Promise<Tooling>;

  // Messages
  append(workflow: string, draft: Draft): Promise<Appended>;
  /** The same, from inside a turn: fenced, and an exact repeat of an earlier attempt's message gives that one back. */
  appendFrom(claim: Claim, draft: Draft): Promise<Appended & { repeated: boolean }>;
  messages(
    workflow: string,
    viewer: Viewer,
    page: { after?: number; limit: number; newest?: boolean },
  ): Promise<Message[]>;
  /** By id, in any instance. */
  message(id: string): Promise<{ message: Message; workflow: string } | null>;

  // Deliveries and turns
  /**
   * Claims what the agent is owed as one turn, within the workflow's concurrency; raises the fence. A lease of another
   * node that has run out is taken over. Nothing is claimed before the kickoff.
   */
  claim(request: ClaimRequest): Promise<Claimed | NoClaim>;
  /** False when the claim is no longer ours. */
  renew(claim: Claim, leaseMs: number): Promise<boolean>;
  /** The claim that a token's hash stands for, while its turn runs. */
  claimByToken(workflow: string, tokenHash: string): Promise<Claim | null>;
  /** Notes which process runs the attempt, so that a later daemon can end it. */
  noteWorker(claim: Claim, worker: { pid: number; startTime: string }): Promise<void>;
  /** Hands over what has arrived since, and gives all that the turn holds and has not acked. */
  checkInbox(claim: Claim): Promise<Delivery[]>;
  peekInbox(claim: Claim): Promise<Delivery[]>;
  /** Acks what the turn holds: by message id, or all up to a seq. */
  ack(claim: Claim, which: { messages: string[] } | { untilSeq: number }): Promise<Delivery[]>;
  finish(claim: Claim, finish: Finish): Promise<Finished>;
  /** Gives everything back without counting an attempt. */
  release(claim: Claim, reason: string): Promise<void>;
  /** Tool calls and results of a running attempt, for the record. */
  record(claim: Claim, events: RecordedEvent[]): Promise<void>;
  deliveries(
    workflow: string,
    filter: { agent?: string; states?: DeliveryState[]; message?: string; turn?: string; limit: number },
  ): Promise<Delivery[]>;
  /** Dead letters are pending again, their attempts counted anew; an instance that has ended runs again for them. */
  redrive(workflow: string, filter: DeliveryFilter): Promise<Freed>;
  /** The same for what is parked. */
  resume(workflow: string, filter: DeliveryFilter): Promise<Freed>;
  discard(workflow: string, filter: { agent?: string; messages: string[] }): Promise<Delivery[]>;
  turn(id: string): Promise<{ turn: Turn; workflow: string } | null>;
  turnsOf(message: string): Promise<Turn[]>;
  /** The latest of an instance, or of one of its agents, newest first. */
  turns(workflow: string, filter: { agent?: string; limit: number }): Promise<Turn[]>;
  turnMessages(turn: string): Promise<Message[]>;
  /** What earlier attempts of this turn, and the turns it was split from, already said and called. */
  earlierWork(claim: Claim): Promise<{ messages: Message[]; calls: { tool: string; args: string }[] }>;
  /** What the agent's last successful turn left for the next one; `finish` keeps it. */
  conversation(workflow: string, agent: string): Promise<string | null>;
  /** Agents with pending work, and when it is due; what a start or a sweep wakes. */
  owed(): Promise<{ workflow: string; agent: string; dueAt: number }[]>;
  /** Whether nothing is open, from one snapshot. */
  quiescent(workflow: string): Promise<boolean>;

  // Resources
  /** Keeps content under its hash; the same content is kept once in each instance. */
  createResource(claim: Claim, resource: { content: string; type: string }): Promise<ResourceInfo>;
  /** A range of a resource of one instance, or of whichever has it. */
  resource(workflow: string | null, id: string, range: { offset: number; limit: number }): Promise<ResourcePart | null>;

  // Documents
  /** The latest version, or a certain one; a version may be a deletion. A turn that reads may then write without naming it. */
  document(reader: Claim | { workflow: string }, file: string, version?: number): Promise<DocumentVersion | null>;
  /** Makes the next version, unless the latest is not the one that the change was made from. */
  writeDocument(writer: Writer, change: DocumentChange): Promise<DocumentWritten | { conflict: DocumentConflict }>;
  /** The latest version of each document, the deleted ones among them. */
  documents(workflow: string): Promise<DocumentInfo[]>;
  /** A document's versions, newest first. */
  documentHistory(workflow: string, file: string, limit: number): Promise<DocumentInfo[]>;

  // Approvals and questions, which end with the attempt that asked
  /** Puts a question to people. Where nobody can answer it is denied in the same transaction. */
  askApproval(claim: Claim, ask: NewApproval): Promise<Approval>;
  /** The first decision holds: `decided` is false when there was one before. Null when there is no such approval. */
  decideApproval(id: string, decision: ApprovalDecision): Promise<{ approval: Approval; decided: boolean } | null>;
  approval(id: string): Promise<Approval | null>;
  /** The oldest first. */
  approvals(filter: ApprovalFilter): Promise<Approval[]>;

  // Steps of setup and tasks
  steps(workflow: string): Promise<StepRecord[]>;
  beginStep(workflow: string, step: StepBegin): Promise<void>;
  endStep(workflow: string, step: string, end: StepEnd): Promise<void>;

  // Schedules
  schedules(workflow: string): Promise<StoredSchedule[]>;
  /** Those of all instances that fire when their slot comes, the next first. */
  activeSchedules(limit: number): Promise<StoredSchedule[]>;
  /** In place of the one the agent had; throws `not-found` when there is no such agent. */
  setSchedule(workflow: string, schedule: NewSchedule): Promise<StoredSchedule>;
  /** Of one agent, or all of an instance; gives what there was. */
  clearSchedules(workflow: string, agent: string | null): Promise<StoredSchedule[]>;
  /**
   * Uses a slot: moves the schedule on and sends the message, in one transaction. Null when nothing was sent: the last
   * one is not done, the slot was used or changed before, or the schedule is not active.
   */
  fire(firing: Firing): Promise<Appended | null>;

  // Proposals
  /** Asks: proposal, message and what it owes. An exact repeat of an earlier attempt's gives that one back. */
  openProposal(
    creator: Participant,
    proposal: OpenProposal,
  ): Promise<ProposalChange & { parked: string[]; repeated: boolean }>;
  /** A vote, in place of the voter's earlier one, and what it closes. Null: another vote came first, so decide anew. */
  castVote(voter: Participant, vote: CastVote): Promise<ProposalChange | null>;
  /** Null: it is not what the closing was decided from any more, or something else is open. */
  closeProposal(
    by: Participant,
    close: { proposal: string; revision: number; closing: Closing },
  ): Promise<ProposalChange | null>;
  /** Reminds once; null when that was done before, or it is closed. */
  remindVoters(workflow: string, proposal: string, draft: Draft): Promise<Appended | null>;
  /** By id, in any instance. */
  proposal(id: string): Promise<StoredProposal | null>;
  /** Newest first. */
  proposals(workflow: string, filter: ProposalFilter): Promise<StoredProposal[]>;
  /** Of all instances that run: those that close by the clock, the next first. */
  expiringProposals(limit: number): Promise<StoredProposal[]>;
  /** Decisions that are not written down among the documents yet, of each instance the oldest first. */
  unwrittenDecisions(workflow: string | null, limit: number): Promise<StoredProposal[]>;
  /** A decision was written down; or could not be, and holds its run open no longer. */
  noteDecision(workflow: string, proposal: string, written: boolean): Promise<void>;
  /** Whether no turn runs and no delivery waits for one, whatever else is open. */
  atRest(workflow: string): Promise<boolean>;

  // Feedback
  addFeedback(from: Claim | "user", feedback: NewFeedback): Promise<Feedback>;
  /** Of all instances and of people, the newest first. */
  feedback(limit: number): Promise<Feedback[]>;

  // Events
  events(filter: EventFilter): Promise<Event[]>;
  eventsOf(message: string): Promise<Event[]>;
  lastEvent(): Promise<number>;
  /** Numbers up to so many ahead are given to events that are kept elsewhere: no later life gives them again. */
  reserveEvents(count: number): Promise<void>;
  /** Called after each commit that wrote events; a hint, so a lost one is harmless. */
  onEvents(listener: () => void): () => void;

  // Life
  /** Called once by the daemon that holds the home: all older claims are void; their workers are returned to be ended. */
  recover(): Promise<{ workers: { pid: number; startTime: string }[]; interrupted: Instance[] }>;
  counts(): Promise<{ workflows: number; running: number; agents: number; turns: number }>;
  close(): Promise<void>;
}

export type RecordedEvent =
  | { type: "tool-call"; call: string; tool: string; args: string }
  | { type: "tool-result"; call: string; tool: string; ok: boolean; text: string };
