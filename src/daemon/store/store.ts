/**
 * The interface of the store: coarse operations, each one atomic transaction, durable when its promise resolves. Only the
 * claims of `claim`, `checkInbox`, `noteWorker` and `renew` need not survive a power failure, which ends their workers too.
 *
 * The kernel decides what happens and passes it as data; an engine carries it out. No operation leaves a transaction
 * open, calls back, or reads a clock other than the engine's. A turn's operations take its claim and check the fence in
 * their own transaction: once the turn has been taken away they throw `fenced` and change nothing. Every engine must pass
 * `test/contract/store.ts`.
 *
 * An operation that fails because of the system throws `store-full` or `store-unavailable`; it has changed nothing and can
 * be retried. An engine waits a few seconds for temporary problems, such as another program's lock, without blocking the
 * process, and keeps the order of operations.
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
  /** Changes the phase from `setup` to `tasks`: from now on agents can work. False if the phase has changed or it was stopped. */
  beginTasks(instance: string): Promise<boolean>;
  /** Writes the kickoff, if any, and starts the phase `working`, in one transaction; null if it has started or was stopped. */
  kickoff(instance: string, draft: Draft | null): Promise<Appended | null>;
  /** Ends a `run` if it is quiescent; null if it is not, or has already ended. */
  closeRun(instance: string): Promise<RunResult | null>;
  /** Ends an instance now and parks open work; null if it has already ended. */
  endRun(
    instance: string,
    end: { status: RunResult["status"]; exitCode: number; reason: string | null },
  ): Promise<RunResult | null>;
  /** Reopens an ended or stopped instance: work parked for one of the reasons in `free` is pending again. */
  reopen(
    instance: string,
    mode: RunMode,
    free: ParkReason[],
  ): Promise<{ instance: Instance; wake: string[]; cursor: number }>;
  removeInstance(instance: string): Promise<void>;
  /** Removes the history of an instance but keeps its agents; returns the number of messages. Throws `already-running`. */
  clearInstance(instance: string): Promise<{ messages: number }>;
  instance(id: string): Promise<Instance | null>;
  instances(filter?: { name?: string; tag?: string; project?: string; state?: WorkflowState }): Promise<Instance[]>;
  workflowInfo(id: string): Promise<WorkflowInfo>;
  agents(instance: string): Promise<Agent[]>;
  agentInfos(instance: string): Promise<AgentInfo[]>;

  // Agents
  /** Adds an agent to a running instance; throws `conflict` if the name is taken. */
  addAgent(instance: string, name: string, definition: AgentInput, cwd: string, schedule?: NewSchedule): Promise<void>;
  removeAgent(instance: string, name: string): Promise<void>;
  /** Stops or starts one agent; its open deliveries are parked or pending again. */
  setStopped(instance: string, agent: string, stopped: boolean): Promise<{ wake: string[] }>;
  setStatus(claim: Claim, text: string): Promise<void>;
  /** Tools that people added by command; until a run is opened with a definition. */
  tooling(instance: string, agent: string): Promise<Tooling>;
  changeTooling(instance: string, agent: string, change: ToolingChange): Promise<Tooling>;

  // Messages
  append(instance: string, draft: Draft): Promise<Appended>;
  /** The same from inside a turn: fenced; an exact repeat of an earlier attempt's message returns that message. */
  appendFrom(claim: Claim, draft: Draft): Promise<Appended & { repeated: boolean }>;
  messages(
    instance: string,
    viewer: Viewer,
    page: { after?: number; limit: number; newest?: boolean },
  ): Promise<Message[]>;
  /** By id, in any instance. */
  message(id: string): Promise<{ message: Message; instance: string } | null>;

  // Deliveries and turns
  /**
   * Claims the agent's work as one turn, within the workflow's concurrency, and raises the fence. A turn with an expired
   * lease is released first, uncounted, whichever node had it: a node asks only if it runs no turn of the agent. Nothing is
   * claimed before the kickoff.
   */
  claim(request: ClaimRequest): Promise<Claimed | NoClaim>;
  /** False if the claim was taken away. */
  renew(claim: Claim, leaseMs: number): Promise<boolean>;
  /** The claim of a token's hash, while its turn runs. */
  claimByToken(instance: string, tokenHash: string): Promise<Claim | null>;
  /** Stores which process runs the attempt, so that a later daemon can end it. */
  noteWorker(claim: Claim, worker: { pid: number; startTime: string }): Promise<void>;
  /** Claims new deliveries, and returns all that the turn has claimed and not acknowledged. */
  checkInbox(claim: Claim): Promise<Delivery[]>;
  peekInbox(claim: Claim): Promise<Delivery[]>;
  /** Acknowledges claimed deliveries: by message id, or all up to a seq. */
  ack(claim: Claim, which: { messages: string[] } | { untilSeq: number }): Promise<Delivery[]>;
  finish(claim: Claim, finish: Finish): Promise<Finished>;
  /** Releases everything without counting the attempt. */
  release(claim: Claim, reason: string): Promise<void>;
  /** Records activities of a running attempt. */
  record(claim: Claim, activities: StoredActivity[]): Promise<void>;
  deliveries(
    instance: string,
    filter: { agent?: string; states?: DeliveryState[]; message?: string; turn?: string; limit: number },
  ): Promise<Delivery[]>;
  /** Makes dead letters pending again, with their attempts reset; reopens an ended instance for them. */
  redrive(instance: string, filter: DeliveryFilter): Promise<Freed>;
  /** The same for parked deliveries. */
  resume(instance: string, filter: DeliveryFilter): Promise<Freed>;
  discard(instance: string, filter: { agent?: string; messages: string[] }): Promise<Delivery[]>;
  turn(id: string): Promise<{ turn: Turn; instance: string } | null>;
  turnsOf(message: string): Promise<Turn[]>;
  /** The latest turns of an instance or of one agent, newest first. */
  turns(instance: string, filter: { agent?: string; limit: number }): Promise<Turn[]>;
  turnMessages(turn: string): Promise<Message[]>;
  /** Messages and tool calls of earlier attempts of this turn, and of the turns it was split from. */
  earlierWork(claim: Claim): Promise<{ messages: Message[]; calls: { tool: string; args: string }[] }>;
  /** The conversation of the agent's last successful turn; written by `finish`. */
  conversation(instance: string, agent: string): Promise<string | null>;
  /** Agents with pending work or an expired lease, and when the work is due; woken at a start and by the sweep. */
  owed(): Promise<{ instance: string; agent: string; dueAt: number }[]>;
  /** Whether nothing is open, from one snapshot. */
  quiescent(instance: string): Promise<boolean>;

  // Resources
  /** Stores content by hash; the same content is stored once per instance. */
  createResource(claim: Claim, resource: { content: string; type: string }): Promise<ResourceInfo>;
  /** A range of a resource of one instance, or of any instance. */
  resource(instance: string | null, id: string, range: { offset: number; limit: number }): Promise<ResourcePart | null>;

  // Documents
  /** The latest or a given version; a version can be a deletion. A turn that has read it can write without specifying a base. */
  document(reader: Claim | { instance: string }, file: string, version?: number): Promise<DocumentVersion | null>;
  /** Writes the next version, or reports a conflict if the change is not based on the latest. */
  writeDocument(writer: Writer, change: DocumentChange): Promise<DocumentWritten | { conflict: DocumentConflict }>;
  /** The latest version of each document, including deleted ones. */
  documents(instance: string): Promise<DocumentInfo[]>;
  /** A document's versions, newest first. */
  documentHistory(instance: string, file: string, limit: number): Promise<DocumentInfo[]>;

  // Approvals and questions; they end with the attempt that asked
  /** Asks a person. If no person can answer, it is denied in the same transaction. */
  askApproval(claim: Claim, ask: NewApproval): Promise<Approval>;
  /** The first decision counts: `decided` is false if there was one before. Null if there is no such approval. */
  decideApproval(id: string, decision: ApprovalDecision): Promise<{ approval: Approval; decided: boolean } | null>;
  approval(id: string): Promise<Approval | null>;
  /** Oldest first. */
  approvals(filter: ApprovalFilter): Promise<Approval[]>;

  // Steps of setup and tasks
  steps(instance: string): Promise<StepRecord[]>;
  beginStep(instance: string, step: StepBegin): Promise<void>;
  endStep(instance: string, step: string, end: StepEnd): Promise<void>;

  // Schedules
  schedules(instance: string): Promise<StoredSchedule[]>;
  /** The active schedules of all instances, the next slot first. */
  activeSchedules(limit: number): Promise<StoredSchedule[]>;
  /** Replaces the agent's schedule; throws `not-found` if there is no such agent. */
  setSchedule(instance: string, schedule: NewSchedule): Promise<StoredSchedule>;
  /** Removes the schedule of one agent, or all of an instance, and returns them. */
  clearSchedules(instance: string, agent: string | null): Promise<StoredSchedule[]>;
  /**
   * Uses a slot: advances the schedule and sends the message, in one transaction. Null if nothing was sent: the last
   * message is not done, the slot was used or changed before, or the schedule is not active.
   */
  fire(firing: Firing): Promise<Appended | null>;

  // Proposals
  /** Opens a proposal with its message and deliveries. An exact repeat of an earlier attempt's proposal returns that one. */
  openProposal(
    creator: Participant,
    proposal: OpenProposal,
  ): Promise<ProposalChange & { parked: string[]; repeated: boolean }>;
  /** Counts a vote, replacing the voter's earlier one, and closes if decided. Null: another vote came first, decide again. */
  castVote(voter: Participant, vote: CastVote): Promise<ProposalChange | null>;
  /** Null: the revision has changed since the decision, or something else is open. */
  closeProposal(
    by: Participant,
    close: { proposal: string; revision: number; closing: Closing },
  ): Promise<ProposalChange | null>;
  /** Reminds once; null if that was done before, or the proposal is closed. */
  remindVoters(instance: string, proposal: string, draft: Draft): Promise<Appended | null>;
  /** By id, in any instance. */
  proposal(id: string): Promise<StoredProposal | null>;
  /** Newest first. */
  proposals(instance: string, filter: ProposalFilter): Promise<StoredProposal[]>;
  /** Proposals of running instances with a deadline, the next first. */
  expiringProposals(limit: number): Promise<StoredProposal[]>;
  /** Decisions that are not written to the documents yet, oldest first per instance. */
  unwrittenDecisions(instance: string | null, limit: number): Promise<StoredProposal[]>;
  /** Records that a decision was written, or could not be and no longer keeps its run open. */
  noteDecision(instance: string, proposal: string, written: boolean): Promise<void>;
  /** Whether no turn runs and no delivery is pending, whatever else is open. */
  atRest(instance: string): Promise<boolean>;

  // Feedback
  addFeedback(from: Claim | "user", feedback: NewFeedback): Promise<Feedback>;
  /** From all instances and people, newest first. */
  feedback(limit: number): Promise<Feedback[]>;

  // Events
  events(filter: EventFilter): Promise<Event[]>;
  eventsOf(message: string): Promise<Event[]>;
  lastEvent(): Promise<number>;
  /** Reserves the next `count` numbers for events stored elsewhere, so that no later daemon uses them. */
  reserveEvents(count: number): Promise<void>;
  /** Calls the listener after each commit that wrote events; a lost call is harmless. */
  onEvents(listener: () => void): () => void;

  // Lifecycle
  /** Called once by the daemon that has locked the home: voids all older claims and returns their workers, to be ended. */
  recover(): Promise<{ workers: { pid: number; startTime: string }[]; interrupted: Instance[] }>;
  counts(): Promise<{ workflows: number; running: number; agents: number; turns: number }>;
  close(): Promise<void>;
}
