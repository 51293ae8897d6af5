/**
 * The store's seam: coarse operations, each one atomic transaction, durable when its promise resolves. Only the claims of
 * `claim`, `checkInbox`, `noteWorker` and `renew` need not outlive a loss of power, which ends all who work on them.
 *
 * The kernel decides what is to happen and passes it as data; an engine does it, its own best way. No operation
 * leaves a transaction open, none calls back, and none reads a clock but the engine's own. A turn's operations take
 * its claim and check the fence in their own transaction: once the turn has been taken away they throw `fenced` and
 * change nothing. `test/contract/store.ts` is what every engine has to pass.
 *
 * An operation that cannot be done because of the system around the store throws `store-full` or `store-unavailable`; it
 * has changed nothing and may be repeated. An engine waits a few seconds for what may pass, such as another program's
 * lock, without stopping the process, and keeps the order in which it was asked.
 */
import type { Approval } from "../../protocol/approval.ts";
import type { AgentInput } from "../../protocol/definition/agent-definition.ts";
import type { Delivery, DeliveryState, ParkReason } from "../../protocol/delivery.ts";
import type { DocumentInfo, DocumentVersion } from "../../protocol/document.ts";
import type { Event, StoredActivity } from "../../protocol/event.ts";
import type { Feedback, NewFeedback } from "../../protocol/feedback.ts";
import type { AgentInfo, RunMode, RunResult, WorkflowInfo, WorkflowState } from "../../protocol/instance.ts";
import type { Message } from "../../protocol/message.ts";
import type { Tooling, ToolingChange } from "../../protocol/tooling.ts";
import type { ResourceInfo, ResourcePart } from "../../protocol/resource.ts";
import type { Turn } from "../../protocol/turn.ts";
import type {
  Instance,
  Agent,
  OpenRun,
  Draft,
  Appended,
  Claim,
  Claimed,
  ClaimRequest,
  NoClaim,
  Finish,
  Finished,
  DeliveryFilter,
  Freed,
  StepRecord,
  NewSchedule,
  StoredSchedule,
  Firing,
  Writer,
  DocumentChange,
  DocumentWritten,
  DocumentConflict,
  Participant,
  OpenProposal,
  StoredProposal,
  Closing,
  CastVote,
  ProposalChange,
  StepBegin,
  StepEnd,
  NewApproval,
  ProposalFilter,
  ApprovalFilter,
  ApprovalDecision,
  Viewer,
  EventFilter,
} from "./data.ts";

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
   * Claims what the agent is owed as one turn, within the workflow's concurrency; raises the fence. A turn whose lease has
   * run out is given back first, uncounted, whichever node held it: a node asks only when it holds no turn of the agent.
   * Nothing is claimed before the kickoff.
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
  /** What a running attempt does, for the record. */
  record(claim: Claim, activities: StoredActivity[]): Promise<void>;
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
  /** Agents with pending work or a turn whose lease has run out, and when it is due; what a start or a sweep wakes. */
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
