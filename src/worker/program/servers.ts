/**
 * The MCP servers that a program is given: the daemon's, and one inside this worker for those of the agent's tools that
 * the program has not itself or may not use unasked. Configurations name the variable that holds a token.
 */
import { turnEnvironment, turnVariables } from "../../protocol/turn-environment.ts";
import type { TurnSpec } from "../../protocol/worker.ts";
import type { Surroundings } from "../backends/backend.ts";

/** `token` is for memory and pipes; all else names the variable. */
export type Server = { name: string; url: string; token: string; tokenVariable: string };

export type Servers = AsyncDisposable & {
  servers: Server[];
  /** What the program's environment needs for them. */
  env: Record<string, string>;
};

/** What the daemon's tools are called behind: `mcp__agent-worker__channel_send` in one program, otherwise in another. */
const daemonServer = "agent-worker";
export const toolServer = "tools";
export const toolVariables = { url: "AGENT_WORKER_TOOLS_URL", token: "AGENT_WORKER_TOOLS_TOKEN" };

/** Agents' own tools that programs have as well, each under a name of its own. */
const common = ["bash", "read_file", "write_file", "edit_file", "list_files", "search_code"];

/**
 * The agent's tools in whose place the program may use its own. Those that a person wants to be asked about, or that
 * answer a fixed value, are served by us instead.
 */
export function ownTools({ definition, mocks = {} }: TurnSpec): Set<string> {
  if (definition.approval !== undefined) return new Set();
  const listed = common.filter((name) => definition.tools.some((tool) => tool === name));
  return new Set(listed.filter((name) => !Object.hasOwn(mocks, name)));
}

/** `own` are those of the agent's tools that need not be served. */
export async function openServers(
  spec: TurnSpec,
  { tools, toolSecret, signal }: Pick<Surroundings, "tools" | "toolSecret" | "signal">,
  own: Set<string> = ownTools(spec),
): Promise<Servers> {
  const daemon = { name: daemonServer, url: spec.mcpUrl, token: spec.token, tokenVariable: turnVariables.token };
  const env = turnEnvironment(spec);
  const served = tools.filter(({ name }) => !own.has(name));
  if (served.length === 0) return { servers: [daemon], env, [Symbol.asyncDispose]: async () => {} };
  const { serveTools } = await import("../tools/serve.ts");
  const { url, token, close } = serveTools(served, signal, toolSecret);
  return {
    servers: [daemon, { name: toolServer, url, token, tokenVariable: toolVariables.token }],
    env: { ...env, [toolVariables.url]: url, [toolVariables.token]: token },
    [Symbol.asyncDispose]: close,
  };
}
