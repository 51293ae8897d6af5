/** The daemon's routes as typed calls; answers are trusted, since a daemon of this version gave them. */
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
  /** A workflow instance; all of them when left out. */
  target?: string;
  project?: string;
  after?: number;
  /** False: the stored events only. */
  follow: boolean;
  signal?: AbortSignal;
};

/** Ending workers takes a grace period each. */
const deadlineMs = 30_000;

/** Methods beside `call` are for what a caller should not have to know: what may be asked twice, how long it may take. */
export class Client {
  readonly #transport: Transport;
  readonly #origin: Origin;

  /** `origin` says what a target means where it could mean several. */
  constructor(transport: Transport, origin: Origin) {
    this.#transport = transport;
    this.#origin = origin;
  }

  /** One answer of the route with this key. */
  call<Key extends JsonKey>(key: Key, ...[input]: CallArguments<Key>): Promise<ResponseOf<Key>>;
  call(key: string, input: AnyInput = {}): Promise<unknown> {
    const { method, route, call } = resolveCall(key, input, this.#origin);
    return this.#transport.request(method, route, call);
  }

  workflow(target: string, project?: string) {
    return this.call("GET /workflows/:target", { target, query: { project } });
  }

  /** Not made again after a lost connection: it could then be started twice. */
  start(body: BodyInput<"POST /workflows">) {
    return this.call("POST /workflows", { body, repeatable: false });
  }

  stop(target: string, project?: string) {
    return this.call("DELETE /workflows/:target", { target, query: { project }, deadlineMs });
  }

  /** Removes the instance and all that it holds. */
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

  /** Acts once, however often it has to be made: the key tells the daemon. */
  send(request: BodyInput<"POST /messages">) {
    const headers = { "idempotency-key": crypto.randomUUID() };
    return this.call("POST /messages", { body: { ...this.#origin, ...request }, headers });
  }

  /** What agents ask people; of all instances when no target is named. */
  approvals(query: { target?: string; state?: ApprovalState } = {}) {
    return this.call("GET /approvals", { query: { ...this.#origin, ...query } });
  }

  /** Not made again after a lost connection: the first decision holds, and a second would be told so. */
  decide(id: string, body: BodyInput<"POST /approvals/:id">) {
    return this.call("POST /approvals/:id", { id, body, repeatable: false });
  }

  /** Not made again after a lost connection: it could then be asked twice. */
  createProposal(target: string, body: BodyInput<"POST /workflows/:target/proposals">) {
    return this.call("POST /workflows/:target/proposals", { target, body, repeatable: false });
  }

  /** Without a file: the entry point. */
  async document(target: string, name?: string, version?: number): Promise<DocumentVersion> {
    const file = fileOf(name);
    const answer = await this.call("GET /workflows/:target/documents/:file{.+}", { target, file, query: { version } });
    if ("versions" in answer) throw new TypeError("the daemon answered versions, not a document");
    return answer;
  }

  async documentHistory(target: string, name?: string): Promise<DocumentHistory> {
    const [file, query] = [fileOf(name), { history: "1" } as const];
    const answer = await this.call("GET /workflows/:target/documents/:file{.+}", { target, file, query });
    if (!("versions" in answer)) throw new TypeError("the daemon answered a document, not its versions");
    return answer;
  }

  /** Not made again after a lost connection when it adds: it could then add twice. */
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

  /** Events in order, each once, across lost connections and restarts of the daemon. */
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
      await this.#transport.mend(losses);
    }
  }

  /** A one-shot run, from its `workflow-start` to its `workflow-end`. */
  async *run(request: BodyInput<"POST /run">, target: string, signal?: AbortSignal): AsyncGenerator<Event, void> {
    const { project } = request;
    let run: number | undefined;
    let after = 0;
    for (let losses = 1; run === undefined; losses += 1) {
      const askedAt = Date.now();
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

/** The entry point where none is named. A name with `..` in it would become another route on its way. */
function fileOf(name: string | undefined): string {
  const problem = name === undefined ? undefined : documentNameProblem(name);
  if (problem !== undefined) throw new AppError("usage", problem);
  return name ?? "-";
}
