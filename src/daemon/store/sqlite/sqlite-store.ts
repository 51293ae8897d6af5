/** The SQLite engine: each operation of the store is one synchronous body in one transaction. */
import type { StoredActivity } from "../../../protocol/event.ts";
import type { WorkflowInfo } from "../../../protocol/instance.ts";
import type { Store } from "../store.ts";
import * as agents from "./instances/agents.ts";
import * as approvals from "./approvals.ts";
import { clearWorkflow } from "./instances/clear.ts";
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
import * as workflows from "./instances/workflows.ts";

export function openSqliteStore(options: ConnectionOptions): Store {
  const c = new Connection(options);
  const write = c.write.bind(c);
  const read = c.read.bind(c);
  /** For claims: after a loss of power nobody works on them any more, and not to have been made is what becomes of them. */
  const claiming = <Result>(body: () => Result) => c.write(body, "in-system");
  return {
    openRun: (request) => write(() => runs.openRun(c, request)),
    beginTasks: (workflow) => write(() => runs.beginTasks(c, workflow)),
    kickoff: (workflow, draft) => write(() => runs.kickoff(c, workflow, draft)),
    closeRun: (workflow) => write(() => runs.closeRun(c, workflow)),
    endRun: (workflow, end) => write(() => runs.endRun(c, workflow, end)),
    reopen: (workflow, mode, free) => write(() => runs.reopen(c, workflow, mode, free)),
    removeWorkflow: (workflow) => write(() => workflows.removeWorkflow(c, workflow)),
    clearWorkflow: (workflow) => write(() => clearWorkflow(c, workflow)),
    instance: (id) => read(() => workflows.readInstance(c, id)),
    instances: (filter) => read(() => workflows.readInstances(c, filter)),
    workflowInfo: (id) =>
      read((): WorkflowInfo => ({ ...workflows.describeWorkflow(c, id), agents: agents.readAgentInfos(c, id) })),

    agents: (workflow) => read(() => agents.readAgents(c, workflow)),
    agentInfos: (workflow) => read(() => agents.readAgentInfos(c, workflow)),
    addAgent: (workflow, name, definition, cwd, schedule) =>
      write(() => {
        agents.addAgent(c, workflow, name, definition, cwd);
        if (schedule) schedules.writeSchedule(c, workflow, schedule);
      }),
    removeAgent: (workflow, name) => write(() => control.removeAgent(c, workflow, name)),
    setStopped: (workflow, agent, stopped) => write(() => control.setStopped(c, workflow, agent, stopped)),
    setStatus: (claim, text) => write(() => agents.setStatus(c, claim, text)),
    tooling: (workflow, agent) => read(() => tooling.readTooling(c, workflow, agent)),
    changeTooling: (workflow, agent, change) => write(() => tooling.applyChange(c, workflow, agent, change)),

    append: (workflow, draft) => write(() => messages.append(c, workflow, draft)),
    appendFrom: (claim, draft) => write(() => messages.appendFrom(c, claim, draft)),
    messages: (workflow, viewer, page) => read(() => messages.readMessages(c, workflow, viewer, page)),
    message: (id) => read(() => messages.findMessage(c, id)),

    claim: (request) => claiming(() => claims.claimInbox(c, request)),
    renew: (claim, leaseMs) => claiming(() => claims.renew(c, claim, leaseMs)),
    claimByToken: (workflow, tokenHash) => read(() => claims.claimByToken(c, workflow, tokenHash)),
    noteWorker: (claim, worker) => claiming(() => claims.noteWorker(c, claim, worker)),
    checkInbox: (claim) => claiming(() => inbox.checkInbox(c, claim)),
    peekInbox: (claim) => read(() => inbox.peekInbox(c, claim)),
    ack: (claim, which) => write(() => inbox.ack(c, claim, which)),
    finish: (claim, end) => write(() => finish.finishTurn(c, claim, end)),
    release: (claim, reason) => write(() => finish.releaseTurn(c, claim, reason)),
    record: (claim, recorded) => write(() => record(c, claim, recorded)),
    deliveries: (workflow, filter) => read(() => deliveries.readDeliveries(c, workflow, filter)),
    redrive: (workflow, filter) => write(() => runs.redrive(c, workflow, filter)),
    resume: (workflow, filter) => write(() => runs.resume(c, workflow, filter)),
    discard: (workflow, filter) => write(() => control.discard(c, workflow, filter)),
    turn: (id) => read(() => turns.readTurn(c, id)),
    turnsOf: (message) => read(() => turns.turnsOf(c, message)),
    turns: (workflow, filter) => read(() => turns.listTurns(c, workflow, filter)),
    turnMessages: (turn) => read(() => turns.turnMessages(c, turn)),
    earlierWork: (claim) => read(() => turns.earlierWork(c, claim)),
    conversation: (workflow, agent) => read(() => conversations.readConversation(c, workflow, agent)),
    owed: () => read(() => claims.readOwed(c)),
    quiescent: (workflow) => read(() => workflows.isQuiescent(c, workflow)),

    createResource: (claim, resource) => write(() => resources.createResource(c, claim, resource)),
    resource: (workflow, id, range) => read(() => resources.readResource(c, workflow, id, range)),

    // A turn that reads leaves a note of it.
    document: (reader, file, version) =>
      ("turn" in reader ? write : read)(() => documents.readDocument(c, reader, file, version)),
    writeDocument: (writer, change) => write(() => documents.writeDocument(c, writer, change)),
    documents: (workflow) => read(() => documents.readDocuments(c, workflow)),
    documentHistory: (workflow, file, limit) => read(() => documents.readHistory(c, workflow, file, limit)),

    askApproval: (claim, asked) => write(() => approvals.askApproval(c, claim, asked)),
    decideApproval: (id, decision) => write(() => approvals.decideApproval(c, id, decision)),
    approval: (id) => read(() => approvals.readApproval(c, id)),
    approvals: (filter) => read(() => approvals.readApprovals(c, filter)),

    steps: (workflow) => read(() => steps.readSteps(c, workflow)),
    beginStep: (workflow, step) => write(() => steps.beginStep(c, workflow, step)),
    endStep: (workflow, step, end) => write(() => steps.endStep(c, workflow, step, end)),

    schedules: (workflow) => read(() => schedules.readSchedules(c, workflow)),
    activeSchedules: (limit) => read(() => schedules.readActive(c, limit)),
    setSchedule: (workflow, schedule) => write(() => schedules.setSchedule(c, workflow, schedule)),
    clearSchedules: (workflow, agent) => write(() => schedules.clearSchedules(c, workflow, agent)),
    fire: (firing) => write(() => schedules.fire(c, firing)),

    openProposal: (creator, proposal) => write(() => proposals.openProposal(c, creator, proposal)),
    castVote: (voter, vote) => write(() => proposals.castVote(c, voter, vote)),
    closeProposal: (by, close) => write(() => proposals.closeProposal(c, by, close)),
    remindVoters: (workflow, proposal, draft) => write(() => proposals.remindVoters(c, workflow, proposal, draft)),
    proposal: (id) => read(() => proposals.findProposal(c, id)),
    proposals: (workflow, filter) => read(() => proposals.readProposals(c, workflow, filter)),
    expiringProposals: (limit) => read(() => proposals.readExpiring(c, limit)),
    unwrittenDecisions: (workflow, limit) => read(() => proposals.readUnwritten(c, workflow, limit)),
    noteDecision: (workflow, proposal, written) => write(() => proposals.noteDecision(c, workflow, proposal, written)),
    atRest: (workflow) => read(() => workflows.isAtRest(c, workflow)),

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
  const { workflow, run, agent, turn } = claim;
  turns.hold(c, claim);
  for (const { type, ...data } of activities) events.emit(c, workflow, run, { type, agent, turn, data });
}
