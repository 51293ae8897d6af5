/** The MCP servers that an agent declares: connected for one turn, with their tools offered as `server_tool`. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Client, JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { readToolResult } from "../../../mcp/reply.ts";
import { reasonOf } from "../../../protocol/error.ts";
import type { McpServer } from "../../../protocol/definition/agent-definition.ts";
import { toolNames } from "../../../protocol/definition/tool-name.ts";
import { isContextTool } from "../../../protocol/tooling.ts";
import { version } from "../../../protocol/version.ts";
import { untilAborted } from "../../until-aborted.ts";
import { prepareProgram, type Program } from "./mcp-program.ts";
import { resultText } from "../result-text.ts";
import { runGuarded, type Tool, type ToolPlace } from "../tool.ts";
import { ToolSetupError } from "../tool-setup-error.ts";
import { fillVariables } from "./variables.ts";

export type ServerPlace = ToolPlace & {
  /** The values of `$NAME`. */
  variables: Record<string, string>;
};

export type ConnectedServer = { tools: Tool[]; close(): Promise<void> };

/** The limit of one tool call. */
const callMs = 300_000;
const closeMs = 5_000;
const maxTools = 500;
const nameChars = 64;

/** Throws `ToolSetupError` with the reason and a fix, after ending the server. */
export async function connectServer(
  name: string,
  server: McpServer,
  place: ServerPlace,
  signal: AbortSignal,
): Promise<ConnectedServer> {
  // Loaded only here: it costs more than the rest of a worker.
  const sdk = await import("@modelcontextprotocol/client");
  const label = `the MCP server ${name}`;
  const deadline = AbortSignal.timeout(server.timeout);
  const either = AbortSignal.any([signal, deadline]);
  let program: Program | undefined;
  let transport: Transport;
  if ("url" in server) {
    const headers = fillVariables(server.headers, place.variables, label);
    transport = new sdk.StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } });
  } else {
    program = prepareProgram(programOptions(server, place, label));
    transport = programTransport(program, sdk.deserializeMessage);
  }
  const mode = "url" in server ? "auto" : "legacy";
  const client = new sdk.Client({ name: "agent-worker", version }, { versionNegotiation: { mode } });
  const close = () => closeWithin(client, program);
  try {
    const options = { signal: either, timeout: server.timeout };
    await untilAborted(client.connect(transport, options), either);
    const { tools } = await untilAborted(client.listTools({}, options), either);
    const offered = tools.slice(0, maxTools);
    refuseTaken(name, offered, label);
    return { tools: offered.map((tool) => offer(name, tool, client, program)), close };
  } catch (error) {
    await close();
    signal.throwIfAborted();
    throw explain(label, server, { error, timedOut: deadline.aborted, lastError: program?.lastError() ?? "" });
  }
}

function programOptions(server: Extract<McpServer, { command: string }>, place: ServerPlace, label: string) {
  const env = { ...place.env, ...fillVariables(server.env, place.variables, label) };
  const cwd = server.cwd === undefined ? place.cwd : resolve(place.cwd, server.cwd);
  if (!existsSync(cwd)) throw new ToolSetupError("permanent", `${label} should run in ${cwd}, which does not exist`);
  const found = server.command.includes("/")
    ? existsSync(server.command) && server.command
    : Bun.which(server.command, { PATH: env.PATH ?? "" });
  if (!found) {
    throw new ToolSetupError(
      "permanent",
      `${label} cannot be started: there is no program ${server.command}; install it, or fix its command`,
    );
  }
  return { argv: [found, ...server.args], cwd, env };
}

/** Adapts a program to the client library. */
function programTransport(program: Program, read: (line: string) => JSONRPCMessage): Transport {
  const transport: Transport = {
    async start() {
      program.start({ onLine, onEnd: () => transport.onclose?.() });
    },
    send: (message) => program.send(JSON.stringify(message)),
    close: program.close,
  };
  /** Some servers print lines that are not messages; these are skipped. */
  function onLine(line: string): boolean {
    let message: JSONRPCMessage;
    try {
      message = read(line);
    } catch {
      return false;
    }
    transport.onmessage?.(message);
    return true;
  }
  return transport;
}

type Listed = { name: string; description?: string | undefined; inputSchema: Record<string, unknown> };

function offer(server: string, tool: Listed, client: Client, program: Program | undefined): Tool {
  const name = offeredName(server, tool.name);
  return {
    name,
    description: tool.description ?? "",
    inputSchema: tool.inputSchema,
    run: (args, { signal }) =>
      runGuarded(name, signal, async () => {
        try {
          const given = typeof args === "object" && args !== null ? { ...args } : {};
          const call = client.callTool({ name: tool.name, arguments: given }, { signal, timeout: callMs });
          const answer = readToolResult(await untilAborted(call, signal));
          return { ...answer, text: resultText(answer.text) };
        } catch (error) {
          const lastError = program?.lastError() ?? "";
          throw lastError === "" ? error : new Error(`${reasonOf(error)} (${lastError})`, { cause: error });
        }
      }),
  };
}

/** A server must not take the place of a tool that the agent, its team and its approval policy trust. */
function refuseTaken(server: string, tools: Listed[], label: string): void {
  for (const tool of tools) {
    const name = offeredName(server, tool.name);
    // Approval policies ignore case.
    const lower = name.toLowerCase();
    const isBuiltIn = toolNames.some((each) => each === lower);
    if (!isBuiltIn && !isContextTool(lower)) continue;
    const owner = isBuiltIn ? "a built-in tool" : "one of the team's tools";
    throw new ToolSetupError(
      "permanent",
      `${label} has a tool ${tool.name}, which would be called ${name}, like ${owner}: give the server another name`,
    );
  }
}

/** A name that every model accepts. */
export function offeredName(server: string, tool: string): string {
  const name = `${server}_${tool}`.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
  if (name.length <= nameChars) return name;
  const ending = Bun.hash.crc32(name).toString(36);
  return `${name.slice(0, nameChars - ending.length - 1)}_${ending}`;
}

type Cause = { error: unknown; timedOut: boolean; lastError: string };

function explain(label: string, server: McpServer, { error, timedOut, lastError }: Cause): ToolSetupError {
  if (error instanceof ToolSetupError) return error;
  const where = "url" in server ? server.url : [server.command, ...server.args].join(" ");
  const status = statusOf(error);
  if (status === 401 || status === 403) {
    return new ToolSetupError(
      "permanent",
      `${label} refused the connection (HTTP ${status}): check the headers of ${where}`,
      error,
    );
  }
  if (status === 404 || status === 405) {
    return new ToolSetupError("permanent", `${label} is not at ${where} (HTTP ${status}): check its url`, error);
  }
  if (timedOut) {
    const detail = lastError === "" ? "" : ` (${lastError})`;
    return new ToolSetupError(
      "transient",
      `${label} did not answer within ${server.timeout / 1_000} s${detail}: try ${where} yourself, or raise its timeout`,
      error,
    );
  }
  const reason = lastError === "" ? reasonOf(error) : lastError;
  return new ToolSetupError("transient", `${label} cannot be used: ${reason}; try ${where} yourself`, error);
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const status = "status" in error ? error.status : undefined;
  return typeof status === "number"
    ? status
    : Number(/\b(?:HTTP|status:?) (4\d\d|5\d\d)\b/i.exec(error.message)?.[1]) || undefined;
}

async function closeWithin(client: Client, program: Program | undefined): Promise<void> {
  // A server that does not answer must not delay the end of the turn.
  await Promise.race([client.close().catch(() => undefined), Bun.sleep(closeMs)]);
  await program?.close();
}
