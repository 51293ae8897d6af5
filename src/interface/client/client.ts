/** The daemon's routes as typed calls. Answers are trusted, because the daemon speaks the same protocol. */
import type { ApprovalState } from "../../protocol/approval.ts";
import type { DocumentVersion } from "../../protocol/document.ts";
import { documentNameProblem } from "../../protocol/document-name.ts";
import { AppError } from "../../protocol/error.ts";
import type { Event } from "../../protocol/event.ts";
import type { DocumentHistory } from "../../protocol/http/documents.ts";
import type { Origin } from "../../protocol/http/origin.ts";
import type { ResponseOf, BodyInput, JsonKey, StreamKey } from "../../protocol/http/routes.ts";
import { type AnyInput, type CallArguments, resolveCall } from "./call.ts";
import { ConnectionLost, type Transport } from "./transport.ts";

export type Environment = Record<string, string>;
export type EventsRequest = {
  /** A workflow instance. Default: all of them. */
  target?: string;
  project?: string;
  after?: number;
  /** False: only the stored events. */
  follow: boolean;
  signal?: AbortSignal;
};

/** Stopping workers includes a grace period. */
const deadlineMs = 30_000;

/** The other methods wrap `call`, so that callers need not know what can be repeated and how long it can take. */
export class Client {
  readonly #transport: Transport;
  readonly #origin: Origin;

  /** `origin` decides which instance an ambiguous target means. */
  constructor(transport: Transport, origin: Origin) {
    this.#transport = transport;
    this.#origin = origin;
  }

  /** Calls the route with this key and returns its answer. */
  call<Key extends JsonKey>(key: Key, ...[input]: CallArguments<Key>): Promise<ResponseOf<Key>>;
  call(key: string, input: AnyInput = {}): Promise<unknown> {
    const { method, route, call } = resolveCall(key, input, this.#origin);
    return this.#transport.request(method, route, call);
  }

  workflow(target: string, project?: string) {
    return this.call("GET /workflows/:target", { target, query: { project } });
  }

  /** Not repeated after a lost connection: the workflow could be started twice. */
  start(body: BodyInput<"POST /workflows">) {
    return this.call("POST /workflows", { body, repeatable: false });
  }

  stop(target: string, project?: string) {
    return this.call("DELETE /workflows/:target", { target, query: { project }, deadlineMs });
  }

  /** Removes the instance and everything in it. */
  purge(target: string) {
    return this.call("DELETE /workflows/:target", { target, query: { purge: "1" }, deadlineMs });
  }

  createAgent(body: BodyInput<"POST /agents">) {
    return this.call("POST /agents", { body, repeatable: false });
  }

  setStopped(target: string, stopped: boolean, env?: Environment) {
    return this.call("PATCH /agents/:target", { target, body: { stopped, env }, deadlineMs });
  }

  removeAgent(target: string) {
    return this.call("DELETE /agents/:target", { target, deadlineMs });
  }

  /** Can be repeated: the idempotency key makes sure that the message is sent once. */
  send(request: BodyInput<"POST /messages">) {
    const headers = { "idempotency-key": crypto.randomUUID() };
    return this.call("POST /messages", { body: { ...this.#origin, ...request }, headers });
  }

  /** Approvals and questions; of all instances when no target is given. */
  approvals(query: { target?: string; state?: ApprovalState } = {}) {
    return this.call("GET /approvals", { query: { ...this.#origin, ...query } });
  }

  /** One approval or question, with its arguments whole. */
  approval(id: string) {
    return this.call("GET /approvals/:id", { id });
  }

  /** Not repeated after a lost connection: only the first decision counts, and a repeated one would be refused. */
  decide(id: string, body: BodyInput<"POST /approvals/:id">) {
    return this.call("POST /approvals/:id", { id, body, repeatable: false });
  }

  /** Not repeated after a lost connection: the proposal could be created twice. */
  createProposal(target: string, body: BodyInput<"POST /workflows/:target/proposals">) {
    return this.call("POST /workflows/:target/proposals", { target, body, repeatable: false });
  }

  /** Without a name: the entry point. */
  async document(target: string, name?: string, version?: number): Promise<DocumentVersion> {
    const file = fileOf(name);
    const answer = await this.call("GET /workflows/:target/documents/:file{.+}", { target, file, query: { version } });
    if ("versions" in answer) throw new TypeError("the daemon answered with versions, not a document");
    return answer;
  }

  async documentHistory(target: string, name?: string): Promise<DocumentHistory> {
    const [file, query] = [fileOf(name), { history: "1" } as const];
    const answer = await this.call("GET /workflows/:target/documents/:file{.+}", { target, file, query });
    if (!("versions" in answer)) throw new TypeError("the daemon answered with a document, not its versions");
    return answer;
  }

  /** An append is not repeated after a lost connection: the text could be added twice. */
  writeDocument(
    target: string,
    name: string | undefined,
    body: BodyInput<"PUT /workflows/:target/documents/:file{.+}">,
  ) {
    const [file, repeatable] = [fileOf(name), body.append !== true];
    return this.call("PUT /workflows/:target/documents/:file{.+}", { target, file, body, repeatable });
  }

  giveFeedback(body: BodyInput<"POST /feedback">) {
    return this.call("POST /feedback", { body, repeatable: false });
  }

  /** Events in order, each once, across lost connections and daemon restarts. */
  async *events({ target, project, follow, signal, after = 0 }: EventsRequest): AsyncGenerator<Event, void> {
    const query = follow ? {} : ({ follow: "0" } as const);
    let last = after;
    let losses = 0;
    while (true) {
      const headers = { "last-event-id": `${last}` };
      try {
        const stream =
          target === undefined
            ? this.#stream("GET /events", signal, { query, headers })
            : this.#stream("GET /workflows/:target/events", signal, { target, query: { ...query, project }, headers });
        for await (const event of stream) {
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
      await this.#transport.reconnect(losses);
    }
  }

  /** A one-shot run, from its `workflow-start` to its `workflow-end`. */
  async *run(request: BodyInput<"POST /run">, target: string, signal?: AbortSignal): AsyncGenerator<Event, void> {
    const { project } = request;
    let run: number | undefined;
    let after = 0;
    for (let losses = 1; run === undefined; losses += 1) {
      const requestedAt = Date.now();
      try {
        for await (const event of this.#stream("POST /run", signal, { body: request })) {
          run = event.run;
          if (event.seq > 0) after = event.seq;
          yield event;
          if (event.type === "workflow-end") return;
        }
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
      }
      if (signal?.aborted) return;
      await this.#transport.reconnect(losses);
      run ??= await this.#runStartedSince(requestedAt, target, project);
    }
    for await (const event of this.events({ target, project, after, follow: true, signal })) {
      if (event.run !== run) continue;
      yield event;
      if (event.type === "workflow-end") return;
    }
  }

  /** The run that a request without an answer has started anyway, if any. */
  async #runStartedSince(requestedAt: number, target: string, project: string): Promise<number | undefined> {
    try {
      const { startedAt, run } = await this.workflow(target, project);
      return startedAt >= requestedAt ? run : undefined;
    } catch (error) {
      if (error instanceof AppError && error.code === "not-found") return undefined;
      throw error;
    }
  }

  #stream<Key extends StreamKey>(
    key: Key,
    signal: AbortSignal | undefined,
    ...[input]: CallArguments<Key>
  ): AsyncGenerator<Event, void>;
  #stream(key: string, signal: AbortSignal | undefined, input: AnyInput = {}): AsyncGenerator<Event, void> {
    const { method, route, call } = resolveCall(key, input, this.#origin);
    return this.#transport.stream(method, route, call, signal);
  }
}

/** The document's name, or `-` for the entry point. A name with `..` would turn into another route. */
function fileOf(name: string | undefined): string {
  const problem = name === undefined ? undefined : documentNameProblem(name);
  if (problem !== undefined) throw new AppError("usage", problem);
  return name ?? "-";
}
