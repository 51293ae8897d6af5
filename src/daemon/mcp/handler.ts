/** The MCP door: stateless, one server object per request, built for the identity that its token stands for. */
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { AppError } from "../../protocol/error.ts";
import { requestBytes } from "../../protocol/limits.ts";
import { version } from "../../protocol/version.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Claim } from "../store/store.ts";
import { addMentions, inboxUri, messagesUri } from "./mentions.ts";
import { readInbox, readMessages } from "./followed.ts";
import type { Tool } from "./tool.ts";
import { clientTools, tools } from "./tools.ts";

/** A turn, a client, or a spare, which may see what a turn can call and call nothing. */
export type Who = { kind: "turn"; claim: Claim } | { kind: "client" } | { kind: "spare" };

type Report = (trouble: string, error: unknown) => void;

export type McpHandler = {
  fetch(request: Request, body: unknown, who: Who): Promise<Response>;
  close(): Promise<void>;
};

/** `furnish` puts more into each server than its tools: what the conformance suite expects to find. */
export function createHandler(kernel: Kernel, report: Report, furnish?: (server: McpServer) => void): McpHandler {
  const handler = createMcpHandler(
    ({ authInfo, era }) => {
      const server = buildServer(kernel, authInfo?.extra?.["who"] as Who, report, era === "modern");
      furnish?.(server);
      return server;
    },
    { maxRequestBodySize: requestBytes },
  );
  return {
    async fetch(request, body, who) {
      const response = await handler.fetch(request, {
        ...(request.body && { parsedBody: body }),
        authInfo: { token: "", clientId: who.kind, scopes: [], extra: { who } },
      });
      if (who.kind === "spare") return response;
      return addMentions(kernel, who.kind === "turn" ? who.claim : undefined, body, response);
    },
    close: () => handler.close(),
  };
}

/** `canListen`: only in the newer era is there a stream on which to be told of changes. */
function buildServer(kernel: Kernel, who: Who, report: Report, canListen: boolean): McpServer {
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

const powerless: Tool<undefined>[] = tools.map((tool) => ({
  ...tool,
  run: () => Promise.reject(new AppError("forbidden", "a spare may look, and do nothing")),
}));

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
      {
        title: tool.title,
        description: tool.description,
        inputSchema: tool.input,
        outputSchema: tool.output,
        annotations: {
          readOnlyHint: tool.readOnly,
          idempotentHint: tool.idempotent,
          destructiveHint: tool.destructive ?? false,
          openWorldHint: false,
        },
      },
      (input: unknown) => answer(tool, caller, input, report),
    );
  }
}

async function answer<Caller>(tool: Tool<Caller>, caller: Caller, input: unknown, report: Report) {
  try {
    const { text, result } = await tool.run(caller, input);
    return { content: [{ type: "text" as const, text }], structuredContent: result };
  } catch (error) {
    if (!(error instanceof AppError)) report(`${tool.name} failed`, error);
    const text =
      error instanceof AppError
        ? [error.message, error.hint].filter(Boolean).join(" — ")
        : "the daemon failed; its log has the details";
    return { content: [{ type: "text" as const, text }], isError: true };
  }
}
