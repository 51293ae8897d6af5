/**
 * The worker's client for the daemon's MCP tools, authenticated with the token of one turn.
 *
 * In MCP 2026-07-28 a tool call is one stateless POST, and the server is our own daemon, so this file writes that POST
 * itself. Loading the client library and building its schemas would cost 80 ms and 16 MB in every worker, more than
 * everything else in it.
 */
import { type ListedTool, type Reply, readReply, readToolList, readToolResult } from "../mcp/reply.ts";
import { mcpRequest, postMcp } from "../mcp/request.ts";
import { clip } from "../text/clip.ts";
import type { ToolResult } from "./tools/tool.ts";

/**
 * A connection to the daemon. `callTool` returns what the tool returned, errors included. It throws only if the daemon
 * cannot be reached or rejects the token; the turn cannot continue then.
 */
export type DaemonTools = {
  callTool(name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult>;
  /** The tools to offer to a model. The list is the same for every turn and is requested once. */
  listTools(signal: AbortSignal): Promise<ListedTool[]>;
  /** Makes all further calls with this token. */
  useToken(token: string): void;
};

const shownChars = 500;
/** A running daemon answers immediately. */
const warmUpTimeoutMs = 2_000;

/** The daemon answered with something other than an MCP reply, such as HTTP 401. */
export class CallRefused extends Error {}

export function openDaemonTools(mcpUrl: string, firstToken: string): DaemonTools {
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
    throw new CallRefused(`the daemon refused a call (HTTP ${reply.status}): ${clip(reply.text, shownChars)}`);
  }

  async function list(signal: AbortSignal): Promise<ListedTool[]> {
    const reply = await ask("tools/list", {}, signal);
    const tools = reply.kind === "result" ? readToolList(reply.result) : undefined;
    if (tools) return tools;
    const reason = reply.kind === "error" ? reply.error.message : "its list is invalid";
    throw new CallRefused(`the daemon did not list its tools: ${reason}`);
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
 * Opens the connection before the first real call, by a call that the daemon refuses: a spare worker's token has no
 * rights. Throws if the daemon does not answer.
 */
export async function warmUpConnection(daemonTools: DaemonTools): Promise<void> {
  try {
    await daemonTools.callTool("inbox_check", {}, AbortSignal.timeout(warmUpTimeoutMs));
  } catch (error) {
    if (!(error instanceof CallRefused)) throw error;
  }
}
