/**
 * The worker's door to the daemon: its MCP tools, called with the secret of one turn.
 *
 * In MCP 2026-07-28 a tool call is one stateless POST to a server that is known to speak it, for it is our own daemon.
 * So this writes that POST itself: loading the client library and building its schemas costs 80 ms and 16 MB in every
 * worker, more than all the rest of it together.
 */
import { type ListedTool, type Reply, readReply, readToolList, readToolResult } from "../mcp/reply.ts";
import { mcpRequest, postMcp } from "../mcp/request.ts";
import { clip } from "../text/clip.ts";
import type { ToolResult } from "./tools/tool.ts";

/**
 * A connection to the daemon. `callTool` gives what the tool said, errors included; it throws only when the daemon
 * cannot be reached or does not accept the token, and then the turn cannot go on.
 */
export type Context = {
  callTool(name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult>;
  /** What can be called, for a model that has to be told. It is the same for every turn, and asked once. */
  listTools(signal: AbortSignal): Promise<ListedTool[]>;
  /** From now on, calls are made with this token. */
  useToken(token: string): void;
};

const shownChars = 500;
/** A daemon that is there answers at once. */
const warmTimeoutMs = 2_000;

/** The daemon answered, and it was no answer to the request. */
export class Refused extends Error {}

export function openContext(mcpUrl: string, firstToken: string): Context {
  let token = firstToken;
  let calls = 0;
  let listed: Promise<ListedTool[]> | undefined;

  async function ask(
    method: string,
    params: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Exclude<Reply, { kind: "refusal" }>> {
    const id = ++calls;
    const reply = await readReply(await postMcp(mcpUrl, token, mcpRequest(id, method, params), signal), id);
    if (reply.kind !== "refusal") return reply;
    throw new Refused(`the daemon refused a call (HTTP ${reply.status}): ${clip(reply.text, shownChars)}`);
  }

  async function list(signal: AbortSignal): Promise<ListedTool[]> {
    const reply = await ask("tools/list", {}, signal);
    const tools = reply.kind === "result" ? readToolList(reply.result) : undefined;
    if (tools) return tools;
    const reason = reply.kind === "error" ? reply.error.message : "its list has another form";
    throw new Refused(`the daemon does not list its tools: ${reason}`);
  }

  return {
    useToken(next) {
      token = next;
    },
    async callTool(name, args, signal) {
      const reply = await ask("tools/call", { name, arguments: args }, signal);
      return reply.kind === "error" ? { ok: false, text: reply.error.message } : readToolResult(reply.result);
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
