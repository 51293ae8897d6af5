/** The SQLite engine: each operation of the store is one synchronous body in one transaction. */
import type { StoredActivity } from "../../../protocol/event.ts";
import type { WorkflowInfo } from "../../../protocol/instance.ts";
import type { Store } from "../store.ts";
import * as agents from "./instances/agents.ts";
import * as approvals from "./approvals.ts";
import { clearInstance } from "./instances/clear.ts";
import * as claims from "./turns/claims.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import * as control from "./instances/control.ts";
import * as conversations from "./turns/conversations.ts";
import * as deliveries from "./channel/deliveries.ts";
import * as documents from "./documents.ts";
import * as events from "./events.ts";
import * as feedback from "./feedback.ts";
import * as finish from "./turns/finish.ts";
import * as inbox from "./channel/inbox.ts";
import * as messages from "./channel/messages.ts";
import * as proposals from "./proposals/proposals.ts";
import { recover } from "./turns/recover.ts";
import * as resources from "./channel/resources.ts";
import * as runs from "./instances/runs.ts";
import * as schedules from "./schedules.ts";
import * as tooling from "./instances/tooling.ts";
import * as steps from "./instances/steps.ts";
import * as turns from "./turns/turns.ts";
import * as quiescent from "./instances/quiescent.ts";
import * as workflows from "./instances/workflows.ts";

export function openSqliteStore(options: ConnectionOptions): Store {
  const c = new Connection(options);
  const write = c.write.bind(c);
  const read = c.read.bind(c);
  /** For claims: a power failure ends all work on them, so losing them is harmless. */
  const claiming = <Result>(body: () => Result) => c.write(body, "in-system");
  return {
    openRun: (request) => write(() => runs.openRun(c, request)),
    beginTasks: (instance) => write(() => runs.beginTasks(c, instance)),
    kickoff: (instance, draft) => write(() => runs.kickoff(c, instance, draft)),
    closeRun: (instance) => write(() => runs.closeRun(c, instance)),
    endRun: (instance, end) => write(() => runs.endRun(c, instance, end)),
    reopen: (instance, mode, free) => write(() => runs.reopen(c, instance, mode, free)),
    removeInstance: (instance) => write(() => workflows.removeInstance(c, instance)),
    clearInstance: (instance) => write(() => clearInstance(c, instance)),
    instance: (id) => read(() => workflows.readInstance(c, id)),
    instances: (filter) => read(() => workflows.readInstances(c, filter)),
    workflowInfo: (id) =>
      read((): WorkflowInfo => ({ ...workflows.describeWorkflow(c, id), agents: agents.readAgentInfos(c, id) })),

    agents: (instance) => read(() => agents.readAgents(c, instance)),
    agentInfos: (instance) => read(() => agents.readAgentInfos(c, instance)),
    addAgent: (instance, name, definition, cwd, schedule) =>
      write(() => {
        agents.addAgent(c, instance, name, definition, cwd);
        if (schedule) schedules.writeSchedule(c, instance, schedule);
      }),
    removeAgent: (instance, name) => write(() => control.removeAgent(c, instance, name)),
    setStopped: (instance, agent, stopped) => write(() => control.setStopped(c, instance, agent, stopped)),
    setStatus: (claim, text) => write(() => agents.setStatus(c, claim, text)),
    tooling: (instance, agent) => read(() => tooling.readTooling(c, instance, agent)),
    changeTooling: (instance, agent, change) => write(() => tooling.applyChange(c, instance, agent, change)),

    append: (instance, draft) => write(() => messages.append(c, instance, draft)),
    appendFrom: (claim, draft) => write(() => messages.appendFrom(c, claim, draft)),
    messages: (instance, viewer, page) => read(() => messages.readMessages(c, instance, viewer, page)),
    message: (id) => read(() => messages.findMessage(c, id)),

    claim: (request) => claiming(() => claims.claimInbox(c, request)),
    renew: (claim, leaseMs) => claiming(() => claims.renew(c, claim, leaseMs)),
    claimByToken: (instance, tokenHash) => read(() => claims.claimByToken(c, instance, tokenHash)),
    noteWorker: (claim, worker) => claiming(() => claims.noteWorker(c, claim, worker)),
    checkInbox: (claim) => claiming(() => inbox.checkInbox(c, claim)),
    peekInbox: (claim) => read(() => inbox.peekInbox(c, claim)),
    ack: (claim, which) => write(() => inbox.ack(c, claim, which)),
    finish: (claim, end) => write(() => finish.finishTurn(c, claim, end)),
    release: (claim, reason) => write(() => finish.releaseTurn(c, claim, reason)),
    record: (claim, recorded) => write(() => record(c, claim, recorded)),
    deliveries: (instance, filter) => read(() => deliveries.readDeliveries(c, instance, filter)),
    redrive: (instance, filter) => write(() => runs.redrive(c, instance, filter)),
    resume: (instance, filter) => write(() => runs.resume(c, instance, filter)),
    discard: (instance, filter) => write(() => control.discard(c, instance, filter)),
    turn: (id) => read(() => turns.readTurn(c, id)),
    turnsOf: (message) => read(() => turns.turnsOf(c, message)),
    turns: (instance, filter) => read(() => turns.listTurns(c, instance, filter)),
    turnMessages: (turn) => read(() => turns.turnMessages(c, turn)),
    earlierWork: (claim) => read(() => turns.earlierWork(c, claim)),
    conversation: (instance, agent) => read(() => conversations.readConversation(c, instance, agent)),
    owed: () => read(() => claims.readOwed(c)),
    quiescent: (instance) => read(() => quiescent.isQuiescent(c, instance)),

    createResource: (claim, resource) => write(() => resources.createResource(c, claim, resource)),
    resource: (instance, id, range) => read(() => resources.readResource(c, instance, id, range)),

    // A read by a turn is recorded.
    document: (reader, file, version) =>
      ("turn" in reader ? write : read)(() => documents.readDocument(c, reader, file, version)),
    writeDocument: (writer, change) => write(() => documents.writeDocument(c, writer, change)),
    documents: (instance) => read(() => documents.readDocuments(c, instance)),
    documentHistory: (instance, file, limit) => read(() => documents.readHistory(c, instance, file, limit)),

    askApproval: (claim, asked) => write(() => approvals.askApproval(c, claim, asked)),
    decideApproval: (id, decision) => write(() => approvals.decideApproval(c, id, decision)),
    approval: (id) => read(() => approvals.readApproval(c, id)),
    approvals: (filter) => read(() => approvals.readApprovals(c, filter)),

    steps: (instance) => read(() => steps.readSteps(c, instance)),
    beginStep: (instance, step) => write(() => steps.beginStep(c, instance, step)),
    endStep: (instance, step, end) => write(() => steps.endStep(c, instance, step, end)),

    schedules: (instance) => read(() => schedules.readSchedules(c, instance)),
    activeSchedules: (limit) => read(() => schedules.readActive(c, limit)),
    setSchedule: (instance, schedule) => write(() => schedules.setSchedule(c, instance, schedule)),
    clearSchedules: (instance, agent) => write(() => schedules.clearSchedules(c, instance, agent)),
    fire: (firing) => write(() => schedules.fire(c, firing)),

    openProposal: (creator, proposal) => write(() => proposals.openProposal(c, creator, proposal)),
    castVote: (voter, vote) => write(() => proposals.castVote(c, voter, vote)),
    closeProposal: (by, close) => write(() => proposals.closeProposal(c, by, close)),
    remindVoters: (instance, proposal, draft) => write(() => proposals.remindVoters(c, instance, proposal, draft)),
    proposal: (id) => read(() => proposals.findProposal(c, id)),
    proposals: (instance, filter) => read(() => proposals.readProposals(c, instance, filter)),
    expiringProposals: (limit) => read(() => proposals.readExpiring(c, limit)),
    unwrittenDecisions: (instance, limit) => read(() => proposals.readUnwritten(c, instance, limit)),
    noteDecision: (instance, proposal, written) => write(() => proposals.noteDecision(c, instance, proposal, written)),
    atRest: (instance) => read(() => quiescent.isAtRest(c, instance)),

    addFeedback: (from, given) => write(() => feedback.addFeedback(c, from, given)),
    feedback: (limit) => read(() => feedback.readFeedback(c, limit)),

    events: (filter) => read(() => events.readEvents(c, filter)),
    eventsOf: (message) => read(() => events.readEventsOf(c, message)),
    lastEvent: () => read(() => events.lastEvent(c)),
    reserveEvents: (count) => write(() => c.reserveEvents(count)),
    onEvents: (listener) => c.onEvents(listener),

    recover: () => write(() => recover(c)),
    counts: () => read(() => workflows.countAll(c)),
    close: () => c.close(),
  };
}

function record(c: Connection, claim: Parameters<Store["record"]>[0], activities: StoredActivity[]): void {
  const { instance, run, agent, turn } = claim;
  turns.checkClaim(c, claim);
  for (const { type, ...data } of activities) events.emit(c, instance, run, { type, agent, turn, data });
}
