/** The MCP door: stateless, one server object per request, built for the identity that its token stands for. */
import { type AuthInfo, McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { AppError } from "../../protocol/error.ts";
import { requestBytes } from "../../protocol/limits.ts";
import { version } from "../../protocol/version.ts";
import { fieldOf } from "../../workflow/json.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Claim } from "../store/data.ts";
import { listedSchema } from "./listed-schema.ts";
import { addMentions, inboxUri, messagesUri } from "./mentions.ts";
import { readInbox, readMessages } from "./followed.ts";
import type { Tool } from "./tool.ts";
import { clientTools, tools } from "./tools.ts";

/** A turn, a client, or a spare, which may see what a turn can call and call nothing. */
export type Who = { kind: "turn"; claim: Claim } | { kind: "client" } | { kind: "spare" };

/** What travels with a request to the server that is built for it. */
type Asked = { who: Who; tool: string | undefined };

type Report = (trouble: string, error: unknown) => void;

export type McpHandler = {
  fetch(request: Request, body: unknown, who: Who): Promise<Response>;
  close(): Promise<void>;
};

export function createHandler(kernel: Kernel, report: Report): McpHandler {
  /** Of the requests that are being answered, by what the SDK passes on untouched. */
  const asked = new WeakMap<AuthInfo, Asked>();
  const handler = createMcpHandler(
    ({ authInfo, era }) => {
      const request = authInfo && asked.get(authInfo);
      if (!request) throw new Error("the SDK builds a server for a request that nobody is known to have made");
      return buildServer(kernel, request, report, era === "modern");
    },
    { maxRequestBodySize: requestBytes },
  );
  return {
    async fetch(request, body, who) {
      const authInfo: AuthInfo = { token: "", clientId: who.kind, scopes: [] };
      asked.set(authInfo, { who, tool: calledTool(body) });
      const response = await handler.fetch(request, { ...(request.body && { parsedBody: body }), authInfo });
      if (who.kind === "spare") return response;
      return addMentions(kernel, who.kind === "turn" ? who.claim : undefined, body, response);
    },
    close: () => handler.close(),
  };
}

/** The tool that a request calls, if it calls one. */
function calledTool(body: unknown): string | undefined {
  const name = fieldOf(body, "method") === "tools/call" ? fieldOf(fieldOf(body, "params"), "name") : undefined;
  return typeof name === "string" ? name : undefined;
}

/**
 * A server for one request. For the call of a tool that tool is enough, and saves half of the work.
 * `canListen`: only in the newer era is there a stream on which to be told of changes.
 */
export function buildServer(kernel: Kernel, { who, tool }: Asked, report: Report, canListen: boolean): McpServer {
  const capabilities = { tools: {}, ...(who.kind !== "spare" && { resources: { subscribe: canListen } }) };
  const server = new McpServer({ name: "agent-worker", version }, { capabilities });
  if (who.kind === "turn") {
    const caller = { kernel, claim: who.claim };
    if (registerOnly(server, tools, tool, caller, report)) return server;
    offer(server, "inbox", inboxUri, "What you are owed", () => readInbox(caller));
  }
  if (who.kind === "spare") register(server, powerless, undefined, report);
  if (who.kind === "client") {
    if (registerOnly(server, clientTools, tool, { kernel }, report)) return server;
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

/** True when the tool that is called is among those offered: then there is no other. */
function registerOnly<Caller>(
  server: McpServer,
  offered: Tool<Caller>[],
  called: string | undefined,
  caller: Caller,
  report: Report,
): boolean {
  const only = offered.filter(({ name }) => name === called);
  register(server, only.length > 0 ? only : offered, caller, report);
  return only.length > 0;
}

function register<Caller>(server: McpServer, offered: Tool<Caller>[], caller: Caller, report: Report): void {
  for (const tool of offered) {
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: listedSchema(tool.input),
        outputSchema: listedSchema(tool.output),
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
