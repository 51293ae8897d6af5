/** How one stateless request of MCP travels over HTTP, and what its headers repeat of its body. */
import { version } from "../protocol/version.ts";
import { isRecord } from "../text/json.ts";

/** The version of the protocol that our own programs speak to our own daemon. */
export const mcpVersion = "2026-07-28";
const versionKey = "io.modelcontextprotocol/protocolVersion";

/** A request or notification as far as its headers depend on it; everything in it comes from outside. */
export type McpMessage = { id?: unknown; method?: unknown; params?: unknown };

type McpRequest = McpMessage & { jsonrpc: "2.0" };

/** What our own requests say of their sender. There is no handshake, so every one says it. */
export const clientMeta = {
  [versionKey]: mcpVersion,
  "io.modelcontextprotocol/clientInfo": { name: "agent-worker", version },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** What answers say of theirs. */
export const serverMeta = { "io.modelcontextprotocol/serverInfo": { name: "agent-worker", version } };

export function mcpRequest(id: number, method: string, params: Record<string, unknown>): McpRequest {
  return { jsonrpc: "2.0", id, method, params: { ...params, _meta: clientMeta } };
}

/** A call of one tool. */
export function toolCall(id: number, name: string, args: Record<string, unknown>): McpRequest {
  return mcpRequest(id, "tools/call", { name, arguments: args });
}

/** Posts one message to a daemon on this machine; `reply.ts` reads the answer. Throws when there is none. */
export function postMcp(
  url: string,
  token: string,
  message: McpMessage,
  signal: AbortSignal,
  negotiated?: string,
): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, ...mcpHeaders(message, negotiated) },
    body: JSON.stringify(message),
    // A token is shown to nobody else.
    redirect: "error",
    signal,
    // Bun gives up on a silent response after five minutes; a tool may wait longer for a person.
    timeout: false,
  });
}

/** `negotiated` is the version that a handshake of the older kind came to, for messages that name none. */
export function mcpHeaders({ method, params }: McpMessage, negotiated?: string): Record<string, string> {
  const fields = isRecord(params) ? params : {};
  const { _meta: meta } = fields;
  const own = isRecord(meta) ? meta[versionKey] : undefined;
  const name = fields.name ?? fields.uri;
  const said = typeof own === "string" ? own : negotiated;
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(said !== undefined && { "mcp-protocol-version": headerValue(said) }),
    ...(typeof own === "string" && typeof method === "string" && { "mcp-method": headerValue(method) }),
    ...(typeof own === "string" && typeof name === "string" && { "mcp-name": headerValue(name) }),
  };
}

/** What a header cannot carry as it is travels encoded, as the protocol has it. */
function headerValue(text: string): string {
  return /^[\x21-\x7e]+$/.test(text) ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
