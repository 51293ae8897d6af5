/**
 * Answers requests in the exact form that our own workers send, without the SDK: building the SDK's server for each
 * request costs more than the call itself, and loading the SDK costs more than loading all the tools. A request in any
 * other form, or with arguments that its tool refuses, is left to the SDK.
 */
import { z } from "zod";
import { type McpMessage, clientMeta, mcpHeaders, serverMeta } from "../../mcp/request.ts";
import { type Report, callTool } from "./call-tool.ts";
import { listTool } from "./list-tool.ts";
import type { Tool } from "./tool.ts";

const envelope = { jsonrpc: z.literal("2.0"), id: z.number() };
/** Compared as a whole by `isFromOwnWorker`. */
const Meta = z.unknown();
const OwnList = z.strictObject({
  ...envelope,
  method: z.literal("tools/list"),
  params: z.strictObject({ _meta: Meta }),
});
const OwnCall = z.strictObject({
  ...envelope,
  method: z.literal("tools/call"),
  params: z.strictObject({ name: z.string(), arguments: z.unknown(), _meta: Meta }),
});
/** Tells the caller not to cache the list. */
const uncached = { ttlMs: 0, cacheScope: "private" };
const OwnRequest = z.discriminatedUnion("method", [OwnCall, OwnList]);

/** Returns undefined when the request is left to the SDK. */
export async function answerOwnWorker<Caller>(
  tools: Tool<Caller>[],
  caller: Caller,
  { method, headers }: Request,
  body: unknown,
  report: Report,
): Promise<Response | undefined> {
  const request = OwnRequest.safeParse(body).data;
  if (method !== "POST" || !request || !isFromOwnWorker(request, headers)) return undefined;
  if (request.method === "tools/list") return respond(request.id, { tools: tools.map(listTool), ...uncached });
  const { name, arguments: given } = request.params;
  const tool = tools.find((known) => known.name === name);
  const input = tool?.input.safeParse(given);
  if (!tool || !input?.success) return undefined;
  return respond(request.id, await callTool(tool, tools, caller, input.data, report));
}

/** Whether every header and all metadata about the sender are those of our own workers. */
function isFromOwnWorker(request: McpMessage & { params: { _meta?: unknown } }, headers: Headers): boolean {
  const { _meta: meta } = request.params;
  if (!Bun.deepEquals(meta, clientMeta, true)) return false;
  return Object.entries(mcpHeaders(request)).every(([name, value]) => headers.get(name) === value);
}

function respond(id: number, result: object): Response {
  return Response.json({ jsonrpc: "2.0", id, result: { ...result, resultType: "complete", _meta: serverMeta } });
}
