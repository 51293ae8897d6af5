/** The MCP door: stateless, one server object per request, built for the identity that its token stands for. */
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { AppError } from "../../protocol/error.ts";
import { requestBytes } from "../../protocol/limits.ts";
import { version } from "../../protocol/version.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Claim } from "../store/store.ts";
import type { Caller, Tool } from "./tool.ts";
import { tools } from "./tools.ts";

export type McpHandler = {
  /** `claim` is null for a caller that may connect and do nothing: a spare, or a client without a turn. */
  fetch(request: Request, body: unknown, claim: Claim | null): Promise<Response>;
  close(): Promise<void>;
};

export function createHandler(kernel: Kernel, report: (trouble: string, error: unknown) => void): McpHandler {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const claim = authInfo?.extra?.["claim"] as Claim | undefined;
      return buildServer(claim ? { kernel, claim } : null, report);
    },
    { maxRequestBodySize: requestBytes },
  );
  return {
    fetch: (request, body, claim) =>
      handler.fetch(request, {
        ...(request.body && { parsedBody: body }),
        authInfo: { token: "", clientId: claim?.agent ?? "client", scopes: [], extra: claim ? { claim } : {} },
      }),
    close: () => handler.close(),
  };
}

function buildServer(caller: Caller | null, report: (trouble: string, error: unknown) => void): McpServer {
  const server = new McpServer({ name: "agent-worker", version }, { capabilities: { tools: {} } });
  if (!caller) return server;
  for (const tool of tools) {
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
  return server;
}

async function answer(tool: Tool, caller: Caller, input: unknown, report: (trouble: string, error: unknown) => void) {
  try {
    const { text, result } = await tool.run(caller, input);
    return { content: [{ type: "text" as const, text }], structuredContent: result };
  } catch (error) {
    if (!(error instanceof AppError)) report(`${tool.name} of ${caller.claim.agent} failed`, error);
    const text =
      error instanceof AppError
        ? [error.message, error.hint].filter(Boolean).join(" — ")
        : "the daemon failed; its log has the details";
    return { content: [{ type: "text" as const, text }], isError: true };
  }
}
