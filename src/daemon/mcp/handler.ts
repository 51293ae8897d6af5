/** The MCP server: stateless, with the tools that a token allows. The SDK is loaded only when a request needs it. */
import type { Identity } from "../kernel/identity.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Report } from "./call-tool.ts";
import { answerOwnWorker } from "./answer-own-worker.ts";
import type { McpHandler } from "./server.ts";
import { spareTools, tools } from "./tools.ts";

export type HandlerOptions = {
  operations: Operations;
  /** For calls from inside a turn. */
  turnOperations: Operations;
  report: Report;
};

export function createHandler({ operations, turnOperations, report }: HandlerOptions): McpHandler {
  const operationsFor = ({ kind }: Identity) => (kind === "turn" ? turnOperations : operations);
  let servers: Promise<McpHandler> | undefined;
  const load = () => import("./server.ts").then(({ createServers }) => createServers(operationsFor, report));

  function answerWithoutSdk(
    request: Request,
    body: unknown,
    identity: Identity,
  ): Promise<Response | undefined> | undefined {
    if (identity.kind === "turn") {
      return answerOwnWorker(
        tools,
        { operations: operationsFor(identity), claim: identity.claim },
        request,
        body,
        report,
      );
    }
    if (identity.kind === "spare") return answerOwnWorker(spareTools, undefined, request, body, report);
  }

  return {
    async fetch(request, body, identity) {
      const response = await answerWithoutSdk(request, body, identity);
      return response ?? (await (servers ??= load())).fetch(request, body, identity);
    },
    async close() {
      await (await servers)?.close();
    },
  };
}
