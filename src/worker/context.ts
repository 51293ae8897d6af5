/**
 * The worker's door to the daemon: its MCP tools, called with the secret of one turn.
 *
 * In MCP 2026-07-28 a tool call is one stateless POST to a server that is known to speak it, for it is our own daemon.
 * So this writes that POST itself: loading the client library and building its schemas costs 80 ms and 16 MB in every
 * worker, more than all the rest of it together.
 */
import { z } from "zod";
import { mcpHeaders, toolCall } from "../protocol/mcp.ts";
import { clip } from "./clip.ts";
import type { ToolResult } from "./tools/tool.ts";

/**
 * A connection to the daemon. `callTool` gives what the tool said, errors included; it throws only when the daemon
 * cannot be reached or does not accept the token, and then the turn cannot go on.
 */
export type Context = {
  callTool(name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult>;
  /** From now on, calls are made with this token. */
  useToken(token: string): void;
};

const shownChars = 500;
/** A daemon that is there answers at once. */
const warmTimeoutMs = 2_000;

const jsonrpc = z.literal("2.0");
const Reply = z.union([
  z.object({
    jsonrpc,
    id: z.number(),
    result: z.object({
      content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
      structuredContent: z.unknown().optional(),
      isError: z.boolean().optional(),
    }),
  }),
  z.object({ jsonrpc, id: z.number().nullish(), error: z.object({ message: z.string() }) }),
]);
type Reply = z.infer<typeof Reply>;

/** The daemon answered, and it was no answer to a tool call. */
export class Refused extends Error {}

export function openContext(mcpUrl: string, firstToken: string): Context {
  let token = firstToken;
  let calls = 0;
  return {
    useToken(next) {
      token = next;
    },
    async callTool(name, args, signal) {
      const id = ++calls;
      const request = toolCall(id, name, args);
      const response = await fetch(mcpUrl, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, ...mcpHeaders(request) },
        body: JSON.stringify(request),
        signal,
        // Bun gives up on a silent response after five minutes; a tool may wait longer for a person.
        timeout: false,
      });
      return resultOf(await readReply(response, id));
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
async function readReply(response: Response, id: number): Promise<Reply> {
  const body = await response.text();
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const candidates = isStream ? body.split("\n").flatMap((line) => /^data: ?(.*)/.exec(line)?.[1] ?? []) : [body];
  for (const candidate of candidates) {
    const reply = Reply.safeParse(parseJson(candidate));
    if (reply.success && (reply.data.id === id || "error" in reply.data)) return reply.data;
  }
  throw new Refused(`the daemon refused a call (HTTP ${response.status}): ${clip(body, shownChars)}`);
}

function resultOf(reply: Reply): ToolResult {
  if ("error" in reply) return { ok: false, text: reply.error.message };
  const { content, structuredContent, isError } = reply.result;
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
