/**
 * Requests in the one form in which our own workers write them, answered without the SDK: the server that it builds for
 * each request costs more than the call itself, and loading it more than all the tools. What is written in any other way,
 * or is not accepted by its tool, is left to it.
 */
import { z } from "zod";
import { type McpMessage, clientMeta, mcpHeaders, serverMeta } from "../../mcp/request.ts";
import { type Report, callTool } from "./call.ts";
import { listTool } from "./list.ts";
import type { Tool } from "./tool.ts";

const envelope = { jsonrpc: z.literal("2.0"), id: z.number() };
/** Looked at as a whole, below. */
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
/** A list may be kept by whoever asked, for no time. */
const uncached = { ttlMs: 0, cacheScope: "private" };
const OwnRequest = z.discriminatedUnion("method", [OwnCall, OwnList]);

/** Undefined when it is for the SDK to answer. */
export async function answerOwn<Caller>(
  tools: Tool<Caller>[],
  caller: Caller,
  { method, headers }: Request,
  body: unknown,
  report: Report,
): Promise<Response | undefined> {
  const request = OwnRequest.safeParse(body).data;
  if (method !== "POST" || !request || !isOwn(request, headers)) return undefined;
  if (request.method === "tools/list") return respond(request.id, { tools: tools.map(listTool), ...uncached });
  const { name, arguments: given } = request.params;
  const tool = tools.find((known) => known.name === name);
  const input = tool?.input.safeParse(given);
  if (!tool || !input?.success) return undefined;
  return respond(request.id, await callTool(tool, tools, caller, input.data, report));
}

/** In every header and in every word about its sender. */
function isOwn(request: McpMessage & { params: { _meta?: unknown } }, headers: Headers): boolean {
  const { _meta: meta } = request.params;
  if (!Bun.deepEquals(meta, clientMeta, true)) return false;
  return Object.entries(mcpHeaders(request)).every(([name, value]) => headers.get(name) === value);
}

function respond(id: number, result: object): Response {
  return Response.json({ jsonrpc: "2.0", id, result: { ...result, resultType: "complete", _meta: serverMeta } });
}
