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
    instance: async (id) => workflows.readInstance(c, id),
    instances: async (filter) => workflows.readInstances(c, filter),
    workflowInfo: async (id): Promise<WorkflowInfo> => ({
      ...workflows.describeWorkflow(c, id),
      agents: agents.readAgentInfos(c, id),
    }),

    agents: async (workflow) => agents.readAgents(c, workflow),
    agentInfos: async (workflow) => agents.readAgentInfos(c, workflow),
    addAgent: (workflow, name, definition, cwd, schedule) =>
      write(() => {
        agents.addAgent(c, workflow, name, definition, cwd);
        if (schedule) schedules.writeSchedule(c, workflow, schedule);
      }),
    removeAgent: (workflow, name) => write(() => control.removeAgent(c, workflow, name)),
    setStopped: (workflow, agent, stopped) => write(() => control.setStopped(c, workflow, agent, stopped)),
    setStatus: (claim, text) => write(() => agents.setStatus(c, claim, text)),
    tooling: async (workflow, agent) => tooling.readTooling(c, workflow, agent),
    changeTooling: (workflow, agent, change) => write(() => tooling.applyChange(c, workflow, agent, change)),

    append: (workflow, draft) => write(() => messages.append(c, workflow, draft)),
    appendFrom: (claim, draft) => write(() => messages.appendFrom(c, claim, draft)),
    messages: async (workflow, viewer, page) => messages.readMessages(c, workflow, viewer, page),
    message: async (id) => messages.findMessage(c, id),

    claim: (request) => claiming(() => claims.claimInbox(c, request)),
    renew: (claim, leaseMs) => claiming(() => claims.renew(c, claim, leaseMs)),
    claimByToken: async (workflow, tokenHash) => claims.claimByToken(c, workflow, tokenHash),
    noteWorker: (claim, worker) => claiming(() => claims.noteWorker(c, claim, worker)),
    checkInbox: (claim) => claiming(() => inbox.checkInbox(c, claim)),
    peekInbox: async (claim) => inbox.peekInbox(c, claim),
    ack: (claim, which) => write(() => inbox.ack(c, claim, which)),
    finish: (claim, end) => write(() => finish.finishTurn(c, claim, end)),
    release: (claim, reason) => write(() => finish.releaseTurn(c, claim, reason)),
    record: (claim, recorded) => write(() => record(c, claim, recorded)),
    deliveries: async (workflow, filter) => deliveries.readDeliveries(c, workflow, filter),
    redrive: (workflow, filter) => write(() => runs.redrive(c, workflow, filter)),
    resume: (workflow, filter) => write(() => runs.resume(c, workflow, filter)),
    discard: (workflow, filter) => write(() => control.discard(c, workflow, filter)),
    turn: async (id) => turns.readTurn(c, id),
    turnsOf: async (message) => turns.turnsOf(c, message),
    turns: async (workflow, filter) => turns.listTurns(c, workflow, filter),
    turnMessages: async (turn) => turns.turnMessages(c, turn),
    earlierWork: async (claim) => turns.earlierWork(c, claim),
    conversation: async (workflow, agent) => conversations.readConversation(c, workflow, agent),
    owed: async () => claims.readOwed(c),
    quiescent: async (workflow) => workflows.isQuiescent(c, workflow),

    createResource: (claim, resource) => write(() => resources.createResource(c, claim, resource)),
    resource: async (workflow, id, range) => resources.readResource(c, workflow, id, range),

    document: async (reader, file, version) =>
      "turn" in reader
        ? write(() => documents.readDocument(c, reader, file, version))
        : documents.readDocument(c, reader, file, version),
    writeDocument: (writer, change) => write(() => documents.writeDocument(c, writer, change)),
    documents: async (workflow) => documents.readDocuments(c, workflow),
    documentHistory: async (workflow, file, limit) => documents.readHistory(c, workflow, file, limit),

    askApproval: (claim, asked) => write(() => approvals.askApproval(c, claim, asked)),
    decideApproval: (id, decision) => write(() => approvals.decideApproval(c, id, decision)),
    approval: async (id) => approvals.readApproval(c, id),
    approvals: async (filter) => approvals.readApprovals(c, filter),

    steps: async (workflow) => steps.readSteps(c, workflow),
    beginStep: (workflow, step) => write(() => steps.beginStep(c, workflow, step)),
    endStep: (workflow, step, end) => write(() => steps.endStep(c, workflow, step, end)),

    schedules: async (workflow) => schedules.readSchedules(c, workflow),
    activeSchedules: async (limit) => schedules.readActive(c, limit),
    setSchedule: (workflow, schedule) => write(() => schedules.setSchedule(c, workflow, schedule)),
    clearSchedules: (workflow, agent) => write(() => schedules.clearSchedules(c, workflow, agent)),
    fire: (firing) => write(() => schedules.fire(c, firing)),

    openProposal: (creator, proposal) => write(() => proposals.openProposal(c, creator, proposal)),
    castVote: (voter, vote) => write(() => proposals.castVote(c, voter, vote)),
    closeProposal: (by, close) => write(() => proposals.closeProposal(c, by, close)),
    remindVoters: (workflow, proposal, draft) => write(() => proposals.remindVoters(c, workflow, proposal, draft)),
    proposal: async (id) => proposals.findProposal(c, id),
    proposals: async (workflow, filter) => proposals.readProposals(c, workflow, filter),
    expiringProposals: async (limit) => proposals.readExpiring(c, limit),
    unwrittenDecisions: async (workflow, limit) => proposals.readUnwritten(c, workflow, limit),
    noteDecision: (workflow, proposal, written) => write(() => proposals.noteDecision(c, workflow, proposal, written)),
    atRest: async (workflow) => workflows.isAtRest(c, workflow),

    addFeedback: (from, given) => write(() => feedback.addFeedback(c, from, given)),
    feedback: async (limit) => feedback.readFeedback(c, limit),

    events: async (filter) => events.readEvents(c, filter),
    eventsOf: async (message) => events.readEventsOf(c, message),
    lastEvent: async () => events.lastEvent(c),
    reserveEvents: (count) => write(() => c.reserveEvents(count)),
    onEvents: (listener) => c.onEvents(listener),

    recover: () => write(() => recover(c)),
    counts: async () => workflows.countAll(c),
    close: () => c.close(),
  };
}

function record(c: Connection, claim: Parameters<Store["record"]>[0], activities: StoredActivity[]): void {
  const { workflow, run, agent, turn } = claim;
  turns.hold(c, claim);
  for (const { type, ...data } of activities) events.emit(c, workflow, run, { type, agent, turn, data });
}
