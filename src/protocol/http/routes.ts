/** Every route of the HTTP door, described: the reference and `/openapi.json` are made of it. Tests hold it to the router. */
import type { AnsweredName, SentName } from "./shapes.ts";

export type Route = {
  route: string;
  does: string;
  /** Query parameters beside those of a target, each with a sentence. */
  query?: Record<string, string>;
  /** Headers that mean something here, each with a sentence. */
  headers?: Record<string, string>;
  body?: SentName;
  /** `events` is a stream of them, `MCP` the other protocol. */
  answer: AnsweredName | "events" | "MCP";
  /** What it answers in place of that where the query asks for it. */
  otherwise?: AnsweredName;
  status?: number;
};

const place = {
  after: "Only events after this one.",
  follow: "`0`: end with what is stored now, instead of waiting for more.",
};

const resuming = { "Last-Event-ID": "Only events after this one; it goes before `after`." };

export const routes: Route[] = [
  { route: "GET /health", does: "Whether the daemon is well, and how much it has to do.", answer: "Health" },
  {
    route: "POST /shutdown",
    does: "Ends the daemon in good order: no attempt is counted, and the next daemon goes on.",
    answer: "ShutdownAnswer",
  },
  { route: "GET /agents", does: "The agents of all workflows, and those that stand alone.", answer: "AgentList" },
  {
    route: "POST /agents",
    does: "Creates an agent that stands alone.",
    body: "CreateAgentRequest",
    answer: "AgentInfo",
    status: 201,
  },
  { route: "GET /agents/:target", does: "One agent.", answer: "AgentInfo" },
  {
    route: "PATCH /agents/:target",
    does: "Stops an agent, which parks what it is owed, or lets it go on.",
    body: "UpdateAgentRequest",
    answer: "AgentInfo",
  },
  {
    route: "DELETE /agents/:target",
    does: "Removes an agent that stands alone; what it was still owed is discarded.",
    answer: "AgentInfo",
  },
  {
    route: "GET /tools/:target",
    does: "What an agent can use, or each agent of a workflow. No module is loaded and no server asked.",
    answer: "AgentToolsList",
  },
  {
    route: "PATCH /tools/:target",
    does: "Adds tools to an agent, has tools answer a fixed value, or takes that back; from its next turn on, until the workflow file is started anew.",
    body: "ChangeToolsRequest",
    answer: "AgentToolsList",
  },
  { route: "GET /workflows", does: "All instances, running or not.", answer: "WorkflowList" },
  {
    route: "POST /workflows",
    does: "Starts a workflow that stays until it is stopped. Answers once it is stored; setup and kickoff follow.",
    body: "StartRequest",
    answer: "StartAnswer",
    status: 201,
  },
  { route: "GET /workflows/:target", does: "One instance with its agents.", answer: "WorkflowInfo" },
  {
    route: "DELETE /workflows/:target",
    does: "Stops an instance: workers are ended, open work is parked.",
    query: { purge: "`1`: remove the instance with its messages, too." },
    answer: "StopAnswer",
  },
  {
    route: "POST /workflows/:target/start",
    does: "Undoes a stop, or goes on with an instance that has ended; what the stop parked goes on.",
    body: "ControlRequest",
    answer: "StartAnswer",
  },
  {
    route: "POST /workflows/:target/resume",
    does: "Sets parked work free: all of an instance, or of the agent that the target names.",
    body: "ControlRequest",
    answer: "ResumeAnswer",
  },
  {
    route: "GET /workflows/:target/messages",
    does: "The channel: its newest messages, or the first ones after a place.",
    query: { after: "Only messages whose `seq` is greater.", limit: "At most so many: 50 unless given, up to 500." },
    answer: "MessageList",
  },
  {
    route: "GET /workflows/:target/events",
    does: "The events of one instance.",
    query: place,
    headers: resuming,
    answer: "events",
  },
  {
    route: "GET /workflows/:target/documents",
    does: "The documents of an instance, with their latest versions.",
    answer: "DocumentList",
  },
  {
    route: "GET /workflows/:target/documents/:file{.+}",
    does: "One document; `-` stands for the entry point. With `history=1` it answers a `DocumentHistory`: the versions, newest first.",
    query: { version: "An earlier version.", history: "`1`: the versions without their contents." },
    answer: "DocumentVersion",
    otherwise: "DocumentHistory",
  },
  {
    route: "PUT /workflows/:target/documents/:file{.+}",
    does: "Writes a document, or adds to it. Refused with 409, and both versions, when `base` is not the latest.",
    body: "WriteDocumentRequest",
    answer: "WriteDocumentAnswer",
  },
  {
    route: "DELETE /workflows/:target/documents/:file{.+}",
    does: "Deletes a document; its versions are kept.",
    query: { base: "Only if this is still the latest version." },
    answer: "WriteDocumentAnswer",
  },
  {
    route: "GET /workflows/:target/export",
    does: "The whole of an instance, for keeping: its state, its documents, and its messages and proposals from the first on, page by page.",
    query: {
      after: "Only messages whose `seq` is greater: the `next` of the page before.",
      limit: "At most so many: 500 unless given.",
    },
    answer: "Transcript",
  },
  {
    route: "POST /workflows/:target/clear",
    does: "Forgets all that was said and written in an instance that does not run. Its agents and schedules stay.",
    body: "ClearRequest",
    answer: "ClearAnswer",
  },
  {
    route: "GET /feedback",
    does: "What agents and people had to say about their work, the newest first.",
    query: { limit: "At most so many: 100 unless given, up to 500." },
    answer: "FeedbackList",
  },
  {
    route: "POST /feedback",
    does: "A person's feedback.",
    body: "FeedbackRequest",
    answer: "Feedback",
    status: 201,
  },
  {
    route: "GET /resources/:id",
    does: "A resource, or a range of it, counted in characters.",
    query: { offset: "The first character: 0 unless given.", limit: "At most so many: all unless given." },
    answer: "ResourcePart",
  },
  {
    route: "POST /run",
    does: "Runs a workflow once. The stream is complete with its `workflow-end`; the run goes on when the reader leaves.",
    body: "StartRequest",
    answer: "events",
  },
  {
    route: "POST /serve",
    does: "Runs a workflow once and answers with its result.",
    body: "StartRequest",
    answer: "RunResult",
  },
  {
    route: "POST /messages",
    does: "Sends a person's words. With the header `Idempotency-Key` it acts once: the same key gives the first message back.",
    headers: { "Idempotency-Key": "The same key gives the first message back." },
    body: "SendRequest",
    answer: "SendAnswer",
    status: 201,
  },
  { route: "GET /messages/:id/why", does: "All that happened to one message.", answer: "Why" },
  {
    route: "GET /inbox/:target",
    does: "What an agent, or every agent of an instance, is owed.",
    query: { state: "Only `pending`, `claimed`, `done`, `dead` or `parked`; all but `done` unless given." },
    answer: "DeliveryList",
  },
  {
    route: "POST /inbox/:target/ack",
    does: "Settles an agent's waiting messages as handled: those named, or all up to one.",
    body: "AckRequest",
    answer: "InboxAnswer",
  },
  {
    route: "POST /inbox/:target/redrive",
    does: "Tries dead letters again, their attempts counted anew; a run that has ended goes on for them.",
    body: "InboxRequest",
    answer: "InboxAnswer",
  },
  {
    route: "POST /inbox/:target/discard",
    does: "Drops named messages that nobody works on.",
    body: "InboxRequest",
    answer: "InboxAnswer",
  },
  {
    route: "GET /schedules/:target",
    does: "The schedule of an agent, or all of an instance; none is an empty list.",
    answer: "ScheduleList",
  },
  {
    route: "PUT /schedules/:target",
    does: "Gives an agent a schedule in place of the one it had; its first slot comes after now.",
    body: "SetScheduleRequest",
    answer: "ScheduleInfo",
  },
  {
    route: "DELETE /schedules/:target",
    does: "Takes the schedule of an agent away, or all of an instance, and answers what there was.",
    answer: "ScheduleList",
  },
  {
    route: "GET /approvals",
    does: "What agents ask people, the oldest first: calls to approve, and questions.",
    query: {
      target: "Only of this agent or instance.",
      state: "`waiting` unless given; or `approved`, `answered`, `denied`, `cancelled`.",
    },
    answer: "ApprovalList",
  },
  {
    route: "POST /approvals/:id",
    does: "Approves or denies a call, or answers a question. The first decision holds; a later one is refused with 409.",
    body: "DecideRequest",
    answer: "Approval",
  },
  {
    route: "GET /workflows/:target/proposals",
    does: "What an instance has voted on, newest first.",
    query: { status: "Only `active`, `resolved`, `expired` or `cancelled` ones." },
    answer: "ProposalList",
  },
  {
    route: "POST /workflows/:target/proposals",
    does: "Asks the agents of a running instance, and perhaps the user, for votes.",
    body: "CreateProposalRequest",
    answer: "ProposalAnswer",
    status: 201,
  },
  { route: "GET /proposals/:id", does: "One proposal with its votes.", answer: "ProposalAnswer" },
  {
    route: "POST /proposals/:id/votes",
    does: "The user's vote, in place of an earlier one. Refused with 403 where the user has none, with 409 when it is closed.",
    body: "VoteRequest",
    answer: "ProposalAnswer",
  },
  { route: "DELETE /proposals/:id", does: "Cancels a proposal that is not decided yet.", answer: "ProposalAnswer" },
  {
    route: "GET /events",
    does: "The events of all instances.",
    query: place,
    headers: resuming,
    answer: "events",
  },
  {
    route: "GET /turns/:id",
    does: "One turn: what it was for, what it said, how it ended.",
    answer: "TurnAnswer",
  },
  { route: "GET /openapi.json", does: "This API, described in OpenAPI 3.1.", answer: "OpenApi" },
  { route: "ALL /mcp", does: "The tools of agents; see [the MCP door](mcp.md).", answer: "MCP" },
];
