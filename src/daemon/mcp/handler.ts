/** The MCP door: stateless, and open to whom a token stands for. Its SDK is loaded when somebody comes whom it is needed for. */
import type { Identity } from "../kernel/identity.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Report } from "./call.ts";
import { answerOwn } from "./own.ts";
import type { McpHandler } from "./server.ts";
import { powerless, tools } from "./tools.ts";

export function createHandler(kernel: Operations, report: Report): McpHandler {
  let servers: Promise<McpHandler> | undefined;
  const load = () => import("./server.ts").then(({ createServers }) => createServers(kernel, report));

  function answerAtOnce(request: Request, body: unknown, who: Identity): Promise<Response | undefined> | undefined {
    if (who.kind === "turn") return answerOwn(tools, { kernel, claim: who.claim }, request, body, report);
    if (who.kind === "spare") return answerOwn(powerless, undefined, request, body, report);
  }

  return {
    async fetch(request, body, who) {
      const own = await answerAtOnce(request, body, who);
      return own ?? (await (servers ??= load())).fetch(request, body, who);
    },
    async close() {
      await (await servers)?.close();
    },
  };
}
