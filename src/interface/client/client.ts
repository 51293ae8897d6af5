/** The daemon's doors as typed functions; answers are trusted, since a daemon of this version gave them. */
import type { Approval, ApprovalState } from "../../protocol/approval.ts";
import { type DocumentVersion, documentNameProblem } from "../../protocol/document.ts";
import { AppError } from "../../protocol/error.ts";
import type { Event } from "../../protocol/event.ts";
import type { Feedback } from "../../protocol/feedback.ts";
import type {
  AgentToolsList,
  ApprovalList,
  ClearAnswer,
  CreateAgentRequestInput,
  CreateProposalRequestInput,
  DecideRequest,
  DeliveryList,
  DocumentHistory,
  DocumentList,
  FeedbackList,
  FeedbackRequest,
  InboxAnswer,
  MessageList,
  Origin,
  ProposalAnswer,
  ProposalList,
  ResumeAnswer,
  ScheduleList,
  SendAnswer,
  SendRequestInput,
  StartAnswer,
  StartRequestInput,
  StopAnswer,
  Transcript,
  Why,
  WorkflowList,
  WriteDocumentAnswer,
  WriteDocumentRequestInput,
} from "../../protocol/http/bodies.ts";
import type { AgentInfo, WorkflowInfo } from "../../protocol/instance.ts";
import type { ScheduleInfo, ScheduleInput } from "../../protocol/schedule.ts";
import type { ToolingChange } from "../../protocol/tooling.ts";
import { ConnectionLost, type Transport } from "./transport.ts";

export type Environment = Record<string, string>;
/** Which deliveries: these messages', or all that fit; of an instance in another folder where `project` says so. */
export type Selection = { messages?: string[]; project?: string };
export type EventsRequest = {
  /** A workflow instance; all of them when left out. */
  target?: string;
  project?: string;
  after?: number;
  /** False: the stored events only. */
  follow: boolean;
  signal?: AbortSignal;
};

/** Ending workers takes a grace period each. */
const stopDeadlineMs = 30_000;

export class Client {
  readonly #transport: Transport;
  readonly #origin: Origin;

  /** `origin` says what a target means where it could mean several. */
  constructor(transport: Transport, origin: Origin) {
    this.#transport = transport;
    this.#origin = origin;
  }

  workflows(): Promise<WorkflowList> {
    return this.#transport.request("GET", "/workflows");
  }

  workflow(target: string, project?: string): Promise<WorkflowInfo> {
    return this.#transport.request("GET", path("workflows", target), { query: this.#from(project) });
  }

  start(request: StartRequestInput): Promise<StartAnswer> {
    return this.#transport.request("POST", "/workflows", { body: request, repeatable: false });
  }

  /** Undoes `stop`. */
  startAgain(target: string, env: Environment): Promise<StartAnswer> {
    return this.#transport.request("POST", `${path("workflows", target)}/start`, { body: { ...this.#origin, env } });
  }

  resume(target: string, env: Environment): Promise<ResumeAnswer> {
    return this.#transport.request("POST", `${path("workflows", target)}/resume`, { body: { ...this.#origin, env } });
  }

  stop(target: string, project?: string): Promise<StopAnswer> {
    const query = this.#from(project);
    return this.#transport.request("DELETE", path("workflows", target), { query, deadlineMs: stopDeadlineMs });
  }

  /** Removes the instance and all that it holds. */
  purge(target: string): Promise<unknown> {
    const query = { ...this.#origin, purge: "1" };
    return this.#transport.request("DELETE", path("workflows", target), { query, deadlineMs: stopDeadlineMs });
  }

  agent(target: string): Promise<AgentInfo> {
    return this.#transport.request("GET", path("agents", target), { query: this.#origin });
  }

  createAgent(request: CreateAgentRequestInput): Promise<AgentInfo> {
    return this.#transport.request("POST", "/agents", { body: request, repeatable: false });
  }

  setStopped(target: string, stopped: boolean, env?: Environment): Promise<AgentInfo> {
    const body = { ...this.#origin, stopped, ...(env && { env }) };
    return this.#transport.request("PATCH", path("agents", target), { body, deadlineMs: stopDeadlineMs });
  }

  removeAgent(target: string): Promise<unknown> {
    const query = this.#origin;
    return this.#transport.request("DELETE", path("agents", target), { query, deadlineMs: stopDeadlineMs });
  }

  /** Acts once, however often it has to be made: the key tells the daemon. */
  send(request: SendRequestInput): Promise<SendAnswer> {
    return this.#transport.request("POST", "/messages", {
      body: { ...this.#origin, ...request },
      headers: { "idempotency-key": crypto.randomUUID() },
    });
  }

  messages(target: string, page: { after?: number; limit?: number; project?: string }): Promise<MessageList> {
    return this.#transport.request("GET", `${path("workflows", target)}/messages`, {
      query: { ...this.#from(page.project), after: page.after?.toString(), limit: page.limit?.toString() },
    });
  }

  why(message: string): Promise<Why> {
    return this.#transport.request("GET", `${path("messages", message)}/why`);
  }

  inbox(target: string, state?: "dead"): Promise<DeliveryList> {
    return this.#transport.request("GET", path("inbox", target), { query: { ...this.#origin, state } });
  }

  redrive(target: string, { messages, project }: Selection): Promise<InboxAnswer> {
    const body = { ...this.#from(project), ...(messages && { messages }) };
    return this.#transport.request("POST", `${path("inbox", target)}/redrive`, { body });
  }

  discard(target: string, { messages, project }: Selection): Promise<InboxAnswer> {
    const body = { ...this.#from(project), ...(messages && { messages }) };
    return this.#transport.request("POST", `${path("inbox", target)}/discard`, { body });
  }

  schedules(target: string): Promise<ScheduleList> {
    return this.#transport.request("GET", path("schedules", target), { query: this.#origin });
  }

  setSchedule(target: string, schedule: ScheduleInput, prompt?: string): Promise<ScheduleInfo> {
    const body = { ...this.#origin, schedule, ...(prompt !== undefined && { prompt }) };
    return this.#transport.request("PUT", path("schedules", target), { body });
  }

  tools(target: string): Promise<AgentToolsList> {
    return this.#transport.request("GET", path("tools", target), { query: this.#origin });
  }

  changeTools(target: string, change: Partial<ToolingChange>): Promise<AgentToolsList> {
    return this.#transport.request("PATCH", path("tools", target), { body: { ...this.#origin, ...change } });
  }

  clearSchedules(target: string): Promise<ScheduleList> {
    return this.#transport.request("DELETE", path("schedules", target), { query: this.#origin });
  }

  /** What agents ask people; of all instances when no target is named. */
  approvals({ target, state }: { target?: string; state?: ApprovalState } = {}): Promise<ApprovalList> {
    return this.#transport.request("GET", "/approvals", { query: { ...this.#origin, target, state } });
  }

  /** Not made again after a lost connection: the first decision holds, and a second would be told so. */
  decide(approval: string, request: DecideRequest): Promise<Approval> {
    return this.#transport.request("POST", path("approvals", approval), { body: request, repeatable: false });
  }

  proposals(target: string): Promise<ProposalList> {
    return this.#transport.request("GET", `${path("workflows", target)}/proposals`, { query: this.#origin });
  }

  proposal(id: string): Promise<ProposalAnswer> {
    return this.#transport.request("GET", path("proposals", id));
  }

  /** Not made again after a lost connection: it could then be asked twice. */
  createProposal(target: string, request: CreateProposalRequestInput): Promise<ProposalAnswer> {
    const body = { ...this.#origin, ...request };
    return this.#transport.request("POST", `${path("workflows", target)}/proposals`, { body, repeatable: false });
  }

  vote(id: string, choice: string, reason?: string): Promise<ProposalAnswer> {
    const body = { choice, ...(reason !== undefined && { reason }) };
    return this.#transport.request("POST", `${path("proposals", id)}/votes`, { body });
  }

  cancelProposal(id: string): Promise<ProposalAnswer> {
    return this.#transport.request("DELETE", path("proposals", id));
  }

  documents(target: string): Promise<DocumentList> {
    return this.#transport.request("GET", `${path("workflows", target)}/documents`, { query: this.#origin });
  }

  /** Without a file: the entry point. */
  document(target: string, file?: string, version?: number): Promise<DocumentVersion> {
    const query = { ...this.#origin, version: version?.toString() };
    return this.#transport.request("GET", documentPath(target, file), { query });
  }

  documentHistory(target: string, file?: string): Promise<DocumentHistory> {
    const query = { ...this.#origin, history: "1" };
    return this.#transport.request("GET", documentPath(target, file), { query });
  }

  /** Not made again after a lost connection when it adds: it could then add twice. */
  writeDocument(
    target: string,
    file: string | undefined,
    request: WriteDocumentRequestInput,
  ): Promise<WriteDocumentAnswer> {
    const body = { ...this.#origin, ...request };
    return this.#transport.request("PUT", documentPath(target, file), { body, repeatable: request.append !== true });
  }

  exportPage(target: string, after: number): Promise<Transcript> {
    const query = { ...this.#origin, after: `${after}` };
    return this.#transport.request("GET", `${path("workflows", target)}/export`, { query });
  }

  /** Forgets what was said. Made again after a lost connection it finds nothing left. */
  clear(target: string): Promise<ClearAnswer> {
    return this.#transport.request("POST", `${path("workflows", target)}/clear`, { body: { ...this.#origin } });
  }

  feedback(limit: number): Promise<FeedbackList> {
    return this.#transport.request("GET", "/feedback", { query: { limit: `${limit}` } });
  }

  giveFeedback(feedback: FeedbackRequest): Promise<Feedback> {
    return this.#transport.request("POST", "/feedback", { body: feedback, repeatable: false });
  }

  /** Events in order, each once, across lost connections and restarts of the daemon. */
  async *events({ target, project, follow, signal, after = 0 }: EventsRequest): AsyncGenerator<Event, void> {
    const route = target === undefined ? "/events" : `${path("workflows", target)}/events`;
    const query = { ...this.#from(project), ...(!follow && { follow: "0" }) };
    let last = after;
    let losses = 0;
    while (true) {
      try {
        const headers = { "last-event-id": `${last}` };
        for await (const event of this.#transport.stream("GET", route, { query, headers }, signal)) {
          if (event.seq > 0) last = event.seq;
          losses = 0;
          yield event;
        }
        if (!follow) return;
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
      }
      if (signal?.aborted) return;
      losses += 1;
      await this.#transport.mend(losses);
    }
  }

  /** A one-shot run, from its `workflow-start` to its `workflow-end`. */
  async *run(request: StartRequestInput, target: string, signal?: AbortSignal): AsyncGenerator<Event, void> {
    const { project } = request;
    let run: number | undefined;
    let after = 0;
    for (let losses = 1; run === undefined; losses += 1) {
      const askedAt = Date.now();
      try {
        for await (const event of this.#transport.stream("POST", "/run", { body: request }, signal)) {
          run = event.run;
          if (event.seq > 0) after = event.seq;
          yield event;
          if (event.type === "workflow-end") return;
        }
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
      }
      if (signal?.aborted) return;
      await this.#transport.mend(losses);
      run ??= await this.#runBegunSince(askedAt, target, project);
    }
    for await (const event of this.events({ target, project, after, follow: true, signal })) {
      if (event.run !== run) continue;
      yield event;
      if (event.type === "workflow-end") return;
    }
  }

  /** Whether a request that got no answer had begun its run all the same. */
  async #runBegunSince(askedAt: number, target: string, project: string): Promise<number | undefined> {
    try {
      const { startedAt, run } = await this.workflow(target, project);
      return startedAt >= askedAt ? run : undefined;
    } catch (error) {
      if (error instanceof AppError && error.code === "not-found") return undefined;
      throw error;
    }
  }

  #from(project: string | undefined): Origin {
    return project === undefined ? this.#origin : { ...this.#origin, project };
  }
}

/** Checked before it is sent: a name with `..` in it would become another route on its way. */
function documentPath(target: string, file?: string): string {
  const problem = file === undefined ? undefined : documentNameProblem(file);
  if (problem !== undefined) throw new AppError("usage", problem);
  return `${path("workflows", target)}/documents/${encodeURIComponent(file ?? "-")}`;
}

function path(resource: string, name: string): string {
  return `/${resource}/${encodeURIComponent(name)}`;
}
