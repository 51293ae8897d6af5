/** The SDK behind the MCP door: one server object per request, built for the identity that its token stands for. */
import { type AuthInfo, McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { requestBytes } from "../../protocol/limits.ts";
import { version } from "../../protocol/version.ts";
import type { Identity } from "../kernel/identity.ts";
import type { Operations } from "../kernel/operations.ts";
import { type Report, callTool } from "./call.ts";
import { listedSchema } from "./listed-schema.ts";
import { addMentions, inboxUri, messagesUri } from "./mentions.ts";
import { readInbox, readMessages } from "./followed.ts";
import { wordsOf } from "./list.ts";
import type { Tool } from "./tool.ts";
import { clientTools, powerless, tools } from "./tools.ts";

export type McpHandler = {
  /** Answers a request whose body has been read. */
  fetch(request: Request, body: unknown, who: Identity): Promise<Response>;
  close(): Promise<void>;
};

export function createServers(kernel: Operations, report: Report): McpHandler {
  /** Who asked, of the requests that are being answered, by what the SDK passes on untouched. */
  const asked = new WeakMap<AuthInfo, Identity>();
  const handler = createMcpHandler(
    ({ authInfo, era }) => {
      const who = authInfo && asked.get(authInfo);
      if (!who) throw new Error("the SDK builds a server for a request that nobody is known to have made");
      return buildServer(kernel, who, report, era === "modern");
    },
    { maxRequestBodySize: requestBytes },
  );
  return {
    async fetch(request, body, who) {
      const authInfo: AuthInfo = { token: "", clientId: who.kind, scopes: [] };
      asked.set(authInfo, who);
      const response = await handler.fetch(request, { ...(request.body && { parsedBody: body }), authInfo });
      if (who.kind === "spare") return response;
      return addMentions(kernel, who.kind === "turn" ? who.claim : undefined, body, response);
    },
    close: () => handler.close(),
  };
}

/** A server for one request. `canListen`: only in the newer era is there a stream on which to be told of changes. */
export function buildServer(kernel: Operations, who: Identity, report: Report, canListen: boolean): McpServer {
  const capabilities = { tools: {}, ...(who.kind !== "spare" && { resources: { subscribe: canListen } }) };
  const server = new McpServer({ name: "agent-worker", version }, { capabilities });
  if (who.kind === "turn") {
    const caller = { kernel, claim: who.claim };
    register(server, tools, caller, report);
    offer(server, "inbox", inboxUri, "What you are owed", () => readInbox(caller));
  }
  if (who.kind === "spare") register(server, powerless, undefined, report);
  if (who.kind === "client") {
    register(server, clientTools, { kernel }, report);
    offer(server, "messages", messagesUri, "The latest messages of all workflows", () => readMessages({ kernel }));
  }
  return server;
}

/** What can be followed can also be read. */
function offer(server: McpServer, name: string, uri: string, description: string, read: () => Promise<object>): void {
  const mimeType = "application/json";
  server.registerResource(name, uri, { description, mimeType }, async () => ({
    contents: [{ uri, mimeType, text: JSON.stringify(await read()) }],
  }));
}

function register<Caller>(server: McpServer, offered: Tool<Caller>[], caller: Caller, report: Report): void {
  for (const tool of offered) {
    server.registerTool(
      tool.name,
      { ...wordsOf(tool), inputSchema: listedSchema(tool.input), outputSchema: listedSchema(tool.output) },
      (input: unknown) => callTool(tool, offered, caller, input, report),
    );
  }
}
