/** The MCP servers that an agent declares: connected for one turn, their tools offered as `server_tool`. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Client, JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { readToolResult } from "../../../mcp/reply.ts";
import { reasonOf } from "../../../protocol/error.ts";
import type { McpServer } from "../../../protocol/definition/agent-definition.ts";
import { version } from "../../../protocol/version.ts";
import { untilAborted } from "../../until-aborted.ts";
import { prepareProgram, type Program } from "./mcp-program.ts";
import { resultText } from "../result-text.ts";
import { runGuarded, type Tool, type ToolPlace } from "../tool.ts";
import { ToolTrouble } from "../trouble.ts";
import { fillVariables } from "./variables.ts";

export type ServerPlace = ToolPlace & {
  /** What `$NAME` reads. */
  variables: Record<string, string>;
};

export type ConnectedServer = { tools: Tool[]; close(): Promise<void> };

/** One call of a tool; a longer one belongs into the background of its server. */
const callMs = 300_000;
const closeMs = 5_000;
const mostTools = 500;
const nameChars = 64;

/** Throws `ToolTrouble` with the reason and what to do; then nothing of the server is left. */
export async function connectServer(
  name: string,
  server: McpServer,
  place: ServerPlace,
  signal: AbortSignal,
): Promise<ConnectedServer> {
  // Loaded only here: it costs more than all the rest of a worker.
  const sdk = await import("@modelcontextprotocol/client");
  const whose = `the MCP server ${name}`;
  const deadline = AbortSignal.timeout(server.timeout);
  const either = AbortSignal.any([signal, deadline]);
  let program: Program | undefined;
  let transport: Transport;
  if ("url" in server) {
    const headers = fillVariables(server.headers, place.variables, whose);
    transport = new sdk.StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } });
  } else {
    program = prepareProgram(programOptions(server, place, whose));
    transport = programTransport(program, sdk.deserializeMessage);
  }
  const mode = "url" in server ? "auto" : "legacy";
  const client = new sdk.Client({ name: "agent-worker", version }, { versionNegotiation: { mode } });
  const close = () => closeWithin(client, program);
  try {
    const options = { signal: either, timeout: server.timeout };
    await untilAborted(client.connect(transport, options), either);
    const { tools } = await untilAborted(client.listTools({}, options), either);
    return { tools: tools.slice(0, mostTools).map((tool) => offer(name, tool, client, program)), close };
  } catch (error) {
    await close();
    signal.throwIfAborted();
    throw explain(whose, server, { error, timedOut: deadline.aborted, complaint: program?.complaint() ?? "" });
  }
}

function programOptions(server: Extract<McpServer, { command: string }>, place: ServerPlace, whose: string) {
  const env = { ...place.env, ...fillVariables(server.env, place.variables, whose) };
  const cwd = server.cwd === undefined ? place.cwd : resolve(place.cwd, server.cwd);
  if (!existsSync(cwd)) throw new ToolTrouble("permanent", `${whose} is to run in ${cwd}, which does not exist`);
  const found = server.command.includes("/")
    ? existsSync(server.command) && server.command
    : Bun.which(server.command, { PATH: env.PATH ?? "" });
  if (!found) {
    throw new ToolTrouble(
      "permanent",
      `${whose} cannot be started: there is no program ${server.command}; install it, or mend its command`,
    );
  }
  return { argv: [found, ...server.args], cwd, env };
}

/** A program as the client library takes it. */
function programTransport(program: Program, read: (line: string) => JSONRPCMessage): Transport {
  const transport: Transport = {
    async start() {
      program.start({ onLine: hear, onEnd: () => transport.onclose?.() });
    },
    send: (message) => program.send(JSON.stringify(message)),
    close: program.close,
  };
  /** Some servers print remarks where only messages belong; those are passed over. */
  function hear(line: string): boolean {
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
          const complaint = program?.complaint() ?? "";
          throw complaint === "" ? error : new Error(`${reasonOf(error)} (${complaint})`, { cause: error });
        }
      }),
  };
}

/** A name that every model takes. */
export function offeredName(server: string, tool: string): string {
  const name = `${server}_${tool}`.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
  if (name.length <= nameChars) return name;
  const ending = Bun.hash.crc32(name).toString(36);
  return `${name.slice(0, nameChars - ending.length - 1)}_${ending}`;
}

type Cause = { error: unknown; timedOut: boolean; complaint: string };

function explain(whose: string, server: McpServer, { error, timedOut, complaint }: Cause): ToolTrouble {
  if (error instanceof ToolTrouble) return error;
  const where = "url" in server ? server.url : [server.command, ...server.args].join(" ");
  const status = statusOf(error);
  if (status === 401 || status === 403) {
    return new ToolTrouble(
      "permanent",
      `${whose} refused the connection (HTTP ${status}): check the headers of ${where}`,
      error,
    );
  }
  if (status === 404 || status === 405) {
    return new ToolTrouble("permanent", `${whose} is not at ${where} (HTTP ${status}): check its url`, error);
  }
  if (timedOut) {
    const said = complaint === "" ? "" : ` (${complaint})`;
    return new ToolTrouble(
      "transient",
      `${whose} did not answer within ${server.timeout / 1_000} s${said}: see whether ${where} works by hand, or raise its timeout`,
      error,
    );
  }
  const reason = complaint === "" ? reasonOf(error) : complaint;
  return new ToolTrouble("transient", `${whose} cannot be used: ${reason}; see whether ${where} works by hand`, error);
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const status = "status" in error ? error.status : undefined;
  return typeof status === "number"
    ? status
    : Number(/\b(?:HTTP|status:?) (4\d\d|5\d\d)\b/i.exec(error.message)?.[1]) || undefined;
}

async function closeWithin(client: Client, program: Program | undefined): Promise<void> {
  // An address that does not answer may not hold up the end of the turn.
  await Promise.race([client.close().catch(() => undefined), Bun.sleep(closeMs)]);
  await program?.close();
}
