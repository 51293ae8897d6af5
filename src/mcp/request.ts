/** Builds and sends one stateless MCP request over HTTP, with the headers that repeat parts of its body. */
import { version } from "../protocol/version.ts";
import { isRecord } from "../text/json.ts";

/** The protocol version between our own programs and our own daemon. */
export const mcpVersion = "2026-07-28";
const versionKey = "io.modelcontextprotocol/protocolVersion";

/** The fields of a request or notification that its headers depend on; all of them are untrusted. */
export type McpMessage = { id?: unknown; method?: unknown; params?: unknown };

type McpRequest = McpMessage & { jsonrpc: "2.0" };

/** Identifies the client in every request, because there is no handshake. */
export const clientMeta = {
  [versionKey]: mcpVersion,
  "io.modelcontextprotocol/clientInfo": { name: "agent-worker", version },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Identifies the server in every reply. */
export const serverMeta = { "io.modelcontextprotocol/serverInfo": { name: "agent-worker", version } };

export function mcpRequest(id: number, method: string, params: Record<string, unknown>): McpRequest {
  return { jsonrpc: "2.0", id, method, params: { ...params, _meta: clientMeta } };
}

/** A request to call one tool. */
export function toolCall(id: number, name: string, args: Record<string, unknown>): McpRequest {
  return mcpRequest(id, "tools/call", { name, arguments: args });
}

/** Posts one message to a daemon on this machine; `reply.ts` reads the answer. Throws if there is no answer. */
export function postMcp(
  url: string,
  token: string,
  message: McpMessage,
  signal: AbortSignal,
  negotiated?: string,
): Promise<Response> {
  const { headers, ...request } = mcpPost(message, signal, negotiated);
  // Never send the token to another server.
  return fetch(url, { ...request, headers: { authorization: `Bearer ${token}`, ...headers }, redirect: "error" });
}

/** The request that posts one message, without its address and token. */
export function mcpPost(message: McpMessage, signal: AbortSignal, negotiated?: string) {
  return {
    method: "POST",
    headers: mcpHeaders(message, negotiated),
    body: JSON.stringify(message),
    signal,
    // Bun gives up on a silent response after five minutes; a tool may wait longer for a person.
    timeout: false,
  };
}

/** `negotiated` is the version agreed in a handshake of an older protocol version, for messages that name none. */
export function mcpHeaders({ method, params }: McpMessage, negotiated?: string): Record<string, string> {
  const fields = isRecord(params) ? params : {};
  const { _meta: meta } = fields;
  const ownVersion = isRecord(meta) ? meta[versionKey] : undefined;
  const name = fields.name ?? fields.uri;
  const protocolVersion = typeof ownVersion === "string" ? ownVersion : negotiated;
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(protocolVersion !== undefined && { "mcp-protocol-version": headerValue(protocolVersion) }),
    ...(typeof ownVersion === "string" && typeof method === "string" && { "mcp-method": headerValue(method) }),
    ...(typeof ownVersion === "string" && typeof name === "string" && { "mcp-name": headerValue(name) }),
  };
}

/** Encodes values that a header cannot carry, as the protocol specifies. */
function headerValue(text: string): string {
  return /^[\x21-\x7e]+$/.test(text) ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
