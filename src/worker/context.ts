/**
 * The worker's door to the daemon: its MCP tools, called with the secret of one turn.
 *
 * In MCP 2026-07-28 a tool call is one stateless POST to a server that is known to speak it, for it is our own daemon.
 * So this writes that POST itself: loading the client library and building its schemas costs 80 ms and 16 MB in every
 * worker, more than all the rest of it together.
 */
import { z } from "zod";
import { mcpHeaders, mcpRequest } from "../protocol/mcp/request.ts";
import { clip } from "../text/clip.ts";
import type { ToolResult } from "./tools/tool.ts";

/**
 * A connection to the daemon. `callTool` gives what the tool said, errors included; it throws only when the daemon
 * cannot be reached or does not accept the token, and then the turn cannot go on.
 */
export type Context = {
  callTool(name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult>;
  /** What can be called, for a model that has to be told. It is the same for every turn, and asked once. */
  listTools(signal: AbortSignal): Promise<ContextTool[]>;
  /** From now on, calls are made with this token. */
  useToken(token: string): void;
};

/** A tool of the daemon as a model is shown it; the schema is JSON Schema. */
export type ContextTool = { name: string; description: string; inputSchema: Record<string, unknown> };

const shownChars = 500;
/** A daemon that is there answers at once. */
const warmTimeoutMs = 2_000;

const jsonrpc = z.literal("2.0");
const Called = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});
const Listed = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string().default(""),
      inputSchema: z.record(z.string(), z.unknown()),
    }),
  ),
});
const Reply = z.union([
  z.object({ jsonrpc, id: z.number(), result: z.unknown() }),
  z.object({ jsonrpc, id: z.number().nullish(), error: z.object({ message: z.string() }) }),
]);
type Answer<Result> = { result: Result } | { error: { message: string } };

/** The daemon answered, and it was no answer to the request. */
export class Refused extends Error {}

export function openContext(mcpUrl: string, firstToken: string): Context {
  let token = firstToken;
  let calls = 0;
  let listed: Promise<ContextTool[]> | undefined;

  async function ask<Result extends z.ZodType>(
    method: string,
    params: Record<string, unknown>,
    schema: Result,
    signal: AbortSignal,
  ): Promise<Answer<z.output<Result>>> {
    const id = ++calls;
    const request = mcpRequest(id, method, params);
    const response = await fetch(mcpUrl, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, ...mcpHeaders(request) },
      body: JSON.stringify(request),
      signal,
      // Bun gives up on a silent response after five minutes; a tool may wait longer for a person.
      timeout: false,
    });
    return readAnswer(response, id, schema);
  }

  async function list(signal: AbortSignal): Promise<ContextTool[]> {
    const answer = await ask("tools/list", {}, Listed, signal);
    if ("error" in answer) throw new Refused(`the daemon does not list its tools: ${answer.error.message}`);
    return answer.result.tools;
  }

  return {
    useToken(next) {
      token = next;
    },
    async callTool(name, args, signal) {
      const answer = await ask("tools/call", { name, arguments: args }, Called, signal);
      return "error" in answer ? { ok: false, text: answer.error.message } : toolResult(answer.result);
    },
    listTools(signal) {
      listed ??= list(signal).catch((error: unknown) => {
        listed = undefined;
        throw error;
      });
      return listed;
    },
  };
}

/**
 * Makes one call that the powerless token of a spare is refused, so that the first real one finds the connection open.
 * Throws when the daemon does not answer at all.
 */
export async function warmContext(context: Context): Promise<void> {
  try {
    await context.callTool("inbox_check", {}, AbortSignal.timeout(warmTimeoutMs));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}

/** The reply is either the whole body or one event of a stream. */
async function readAnswer<Result extends z.ZodType>(
  response: Response,
  id: number,
  schema: Result,
): Promise<Answer<z.output<Result>>> {
  const body = await response.text();
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const candidates = isStream ? body.split("\n").flatMap((line) => /^data: ?(.*)/.exec(line)?.[1] ?? []) : [body];
  for (const candidate of candidates) {
    const reply = Reply.safeParse(parseJson(candidate));
    if (!reply.success) continue;
    if ("error" in reply.data) return reply.data;
    const result = schema.safeParse(reply.data.result);
    if (reply.data.id === id && result.success) return { result: result.data };
  }
  throw new Refused(`the daemon refused a call (HTTP ${response.status}): ${clip(body, shownChars)}`);
}

function toolResult({ content, structuredContent, isError }: z.infer<typeof Called>): ToolResult {
  const text = content.flatMap((part) => (part.type === "text" ? (part.text ?? []) : [])).join("\n");
  return { ok: isError !== true, text, structured: structuredContent };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
