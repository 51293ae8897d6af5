/**
 * The worker's own MCP server: gives an agent's tools to a program (claude, codex, opencode), on loopback and for one
 * turn. Every request needs the turn's secret.
 */
import { timingSafeEqual } from "node:crypto";
import { createMcpHandler, McpServer, type StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { reasonOf } from "../../protocol/error.ts";
import { MiB } from "../../protocol/limits.ts";
import { version } from "../../protocol/version.ts";
import { createToolSecret } from "../turn-secrets.ts";
import type { JsonSchema, Tool } from "./tool.ts";

export type ToolServer = {
  url: string;
  /** For `Authorization: Bearer …`; new for every server. */
  token: string;
  /** Closes the remaining connections. */
  close(): Promise<void>;
};

const requestBytes = 32 * MiB;

/** `signal` stops the running calls; `close` ends the server. */
export function serveTools(tools: Tool[], signal: AbortSignal, token = createToolSecret()): ToolServer {
  const handler = createMcpHandler(() => buildServer(tools, signal), { maxRequestBodySize: requestBytes });
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    // A call takes as long as its tool.
    idleTimeout: 0,
    maxRequestBodySize: requestBytes,
    fetch(request) {
      if (!isLocalRequest(request, server.port ?? 0)) return refuse(403, "this server is for one turn on this machine");
      if (!hasToken(request, token)) return refuse(401, "send the turn's token as `Authorization: Bearer …`");
      if (new URL(request.url).pathname !== "/mcp") return refuse(404, "the tools are at /mcp");
      return handler.fetch(request);
    },
    error: (error) => refuse(500, reasonOf(error)),
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    token,
    async close() {
      await handler.close();
      await server.stop(true);
    },
  };
}

function buildServer(tools: Tool[], stop: AbortSignal): McpServer {
  const server = new McpServer({ name: "agent-worker-tools", version }, { capabilities: { tools: {} } });
  for (const tool of tools) {
    const options = { description: tool.description, inputSchema: asStandard(tool.inputSchema) };
    server.registerTool(tool.name, options, async (args, context) => {
      const { ok, text } = await tool.run(args, { signal: AbortSignal.any([stop, context.mcpReq.signal]) });
      return { content: [{ type: "text" as const, text }], isError: !ok };
    });
  }
  return server;
}

/** Only describes the arguments: each tool validates them itself, so that every backend gets the same errors. */
function asStandard(schema: JsonSchema): StandardSchemaWithJSON<unknown, unknown> {
  const json = { input: () => schema, output: () => schema };
  return { "~standard": { version: 1, vendor: "agent-worker", validate: (value) => ({ value }), jsonSchema: json } };
}

/** Refuses web pages, and other host names that point to this address (DNS rebinding). */
function isLocalRequest({ headers }: Request, port: number): boolean {
  const host = headers.get("host");
  return headers.get("origin") === null && (host === `127.0.0.1:${port}` || host === `localhost:${port}`);
}

function hasToken({ headers }: Request, token: string): boolean {
  const given = Buffer.from(headers.get("authorization") ?? "");
  const expected = Buffer.from(`Bearer ${token}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function refuse(status: number, message: string): Response {
  return Response.json({ error: { message } }, { status });
}
