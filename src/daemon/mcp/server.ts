/** Answers MCP requests with the SDK: one server object per request, built for the identity of its token. */
import { type AuthInfo, McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { requestBytes } from "../../protocol/limits.ts";
import { version } from "../../protocol/version.ts";
import type { Identity } from "../kernel/identity.ts";
import type { Operations } from "../kernel/operations.ts";
import { type Report, callTool } from "./call-tool.ts";
import { cachedSchema } from "./cached-schema.ts";
import { addMentions, inboxUri, messagesUri } from "./mention-notifications.ts";
import { readInbox, readMessages } from "./mcp-resources.ts";
import { describeTool } from "./list-tool.ts";
import type { Tool } from "./tool.ts";
import { clientTools, spareTools, tools } from "./tools.ts";

export type McpHandler = {
  /** Answers a request whose body has already been read. */
  fetch(request: Request, body: unknown, identity: Identity): Promise<Response>;
  close(): Promise<void>;
};

export function createServers(kernel: Operations, report: Report): McpHandler {
  /** The identity of each open request, by the object that the SDK passes through unchanged. */
  const identities = new WeakMap<AuthInfo, Identity>();
  const handler = createMcpHandler(
    ({ authInfo, era }) => {
      const identity = authInfo && identities.get(authInfo);
      if (!identity) throw new Error("the SDK asked for a server for a request of unknown identity");
      return buildServer(kernel, identity, report, era === "modern");
    },
    { maxRequestBodySize: requestBytes },
  );
  return {
    async fetch(request, body, identity) {
      const authInfo: AuthInfo = { token: "", clientId: identity.kind, scopes: [] };
      identities.set(authInfo, identity);
      const response = await handler.fetch(request, { ...(request.body && { parsedBody: body }), authInfo });
      if (identity.kind === "spare") return response;
      return addMentions(kernel, identity.kind === "turn" ? identity.claim : undefined, body, response);
    },
    close: () => handler.close(),
  };
}

/** A server for one request. `canSubscribe`: only the newer protocol versions have a stream for notifications. */
export function buildServer(kernel: Operations, identity: Identity, report: Report, canSubscribe: boolean): McpServer {
  const capabilities = { tools: {}, ...(identity.kind !== "spare" && { resources: { subscribe: canSubscribe } }) };
  const server = new McpServer({ name: "agent-worker", version }, { capabilities });
  if (identity.kind === "turn") {
    const caller = { kernel, claim: identity.claim };
    registerTools(server, tools, caller, report);
    registerResource(server, "inbox", inboxUri, "The messages in your inbox", () => readInbox(caller));
  }
  if (identity.kind === "spare") registerTools(server, spareTools, undefined, report);
  if (identity.kind === "client") {
    registerTools(server, clientTools, { kernel }, report);
    registerResource(server, "messages", messagesUri, "The latest messages of all workflows", () =>
      readMessages({ kernel }),
    );
  }
  return server;
}

function registerResource(
  server: McpServer,
  name: string,
  uri: string,
  description: string,
  read: () => Promise<object>,
): void {
  const mimeType = "application/json";
  server.registerResource(name, uri, { description, mimeType }, async () => ({
    contents: [{ uri, mimeType, text: JSON.stringify(await read()) }],
  }));
}

function registerTools<Caller>(server: McpServer, offered: Tool<Caller>[], caller: Caller, report: Report): void {
  for (const tool of offered) {
    server.registerTool(
      tool.name,
      { ...describeTool(tool), inputSchema: cachedSchema(tool.input), outputSchema: cachedSchema(tool.output) },
      (input: unknown) => callTool(tool, offered, caller, input, report),
    );
  }
}
