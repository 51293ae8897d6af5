/** Everything the HTTP API and the MCP server can ask of the kernel, by subject. They get neither the store nor other parts. */
import { approveCall, askQuestion } from "./approvals/ask.ts";
import { decideApproval } from "./approvals/decide.ts";
import { listApprovals } from "./approvals/list-approvals.ts";
import { listenToDeltas } from "./channel/deltas.ts";
import { explainMessage } from "./channel/explain-message.ts";
import { streamEvents, streamNewEvents } from "./channel/stream-events.ts";
import { readMessages, readRecentMessages } from "./channel/read-messages.ts";
import { createResource, readResource } from "./channel/resources.ts";
import { sendFromPerson, sendFromTurn } from "./channel/send.ts";
import { exportTranscript } from "./channel/transcript.ts";
import {
  appendDocument,
  createDocument,
  deleteDocument,
  documentHistory,
  listDocuments,
  readDocument,
  suggestDocument,
  writeDocument,
} from "./documents/documents.ts";
import { addFeedback, listFeedback } from "./feedback.ts";
import { identify } from "./identity.ts";
import type { Kernel } from "./kernel.ts";
import { changeAgent, describeAgent, listAgents, listTeam } from "./operate/agents.ts";
import { clearHistory } from "./operate/clear.ts";
import { discard, redrive } from "./operate/control.ts";
import { findTarget, instanceOfTurn } from "./operate/find-target.ts";
import { checkHealth } from "./operate/health.ts";
import { acknowledgeDeliveries, listDeliveries } from "./operate/inbox.ts";
import {
  describeInstance,
  listInstances,
  purgeInstance,
  resumeInstance,
  startInstance,
  startInstanceAgain,
  stopInstance,
} from "./operate/instances.ts";
import { createAgent, removeAgent } from "./operate/standalone.ts";
import { changeTools, listTools } from "./operate/tooling.ts";
import {
  cancelFromPerson,
  listProposals,
  proposeFromPerson,
  readProposal,
  voteFromPerson,
} from "./proposals/from-people.ts";
import { cancelFromTurn, findProposals, proposeFromTurn, voteFromTurn } from "./proposals/from-turn.ts";
import { runToEnd, startRun } from "./runs/one-shot.ts";
import { clearSchedules, listSchedules, setSchedule } from "./schedules/set-schedule.ts";
import { acknowledge, checkInbox, peekInbox } from "./turns/inbox.ts";
import { describeTurn, listTurns } from "./turns/read-turns.ts";
import { setStatus } from "./turns/status.ts";

export type Operations = ReturnType<typeof createOperations>;

/** Each function of the kernel, bound to its first argument: the parts it works on. */
export function createOperations(kernel: Kernel) {
  const bindTo =
    (parts: Kernel) =>
    <Arguments extends unknown[], Result>(operate: (parts: Kernel, ...given: Arguments) => Result) =>
    (...given: Arguments): Result =>
      operate(parts, ...given);
  const bind = bindTo(kernel);
  /** For functions called only from inside a turn, which wait while the store is unavailable. */
  const bindTurn = bindTo({ ...kernel, store: kernel.turnStore });

  return {
    identify: bind(identify),
    checkHealth: bind(checkHealth),
    findTarget: bind(findTarget),
    instanceOfTurn: bindTurn(instanceOfTurn),

    // channel
    sendFromPerson: bind(sendFromPerson),
    sendFromTurn: bindTurn(sendFromTurn),
    readMessages: bind(readMessages),
    readRecentMessages: bind(readRecentMessages),
    explainMessage: bind(explainMessage),
    exportTranscript: bind(exportTranscript),
    createResource: bindTurn(createResource),
    readResource: bind(readResource),
    streamEvents: bind(streamEvents),
    streamNewEvents: bind(streamNewEvents),
    listenToDeltas: bind(listenToDeltas),

    // turns
    checkInbox: bindTurn(checkInbox),
    peekInbox: bindTurn(peekInbox),
    acknowledge: bindTurn(acknowledge),
    setStatus: bindTurn(setStatus),
    describeTurn: bind(describeTurn),
    listTurns: bind(listTurns),

    // runs
    startRun: bind(startRun),
    runToEnd: bind(runToEnd),

    // operate
    listInstances: bind(listInstances),
    describeInstance: bind(describeInstance),
    startInstance: bind(startInstance),
    startInstanceAgain: bind(startInstanceAgain),
    resumeInstance: bind(resumeInstance),
    stopInstance: bind(stopInstance),
    purgeInstance: bind(purgeInstance),
    clearHistory: bind(clearHistory),
    listAgents: bind(listAgents),
    listTeam: bind(listTeam),
    describeAgent: bind(describeAgent),
    changeAgent: bind(changeAgent),
    createAgent: bind(createAgent),
    removeAgent: bind(removeAgent),
    listDeliveries: bind(listDeliveries),
    acknowledgeDeliveries: bind(acknowledgeDeliveries),
    redrive: bind(redrive),
    discard: bind(discard),
    listTools: bind(listTools),
    changeTools: bind(changeTools),

    // proposals
    listProposals: bind(listProposals),
    readProposal: bind(readProposal),
    proposeFromPerson: bind(proposeFromPerson),
    voteFromPerson: bind(voteFromPerson),
    cancelFromPerson: bind(cancelFromPerson),
    findProposals: bind(findProposals),
    proposeFromTurn: bindTurn(proposeFromTurn),
    voteFromTurn: bindTurn(voteFromTurn),
    cancelFromTurn: bindTurn(cancelFromTurn),

    // approvals
    approveCall: bindTurn(approveCall),
    askQuestion: bindTurn(askQuestion),
    listApprovals: bind(listApprovals),
    decideApproval: bind(decideApproval),

    // schedules
    listSchedules: bind(listSchedules),
    setSchedule: bind(setSchedule),
    clearSchedules: bind(clearSchedules),

    // documents
    listDocuments: bind(listDocuments),
    readDocument: bind(readDocument),
    documentHistory: bind(documentHistory),
    writeDocument: bind(writeDocument),
    appendDocument: bind(appendDocument),
    createDocument: bind(createDocument),
    deleteDocument: bind(deleteDocument),
    suggestDocument: bindTurn(suggestDocument),

    // feedback
    addFeedback: bind(addFeedback),
    listFeedback: bind(listFeedback),
  };
}
