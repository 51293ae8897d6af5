/**
 * The MCP servers of a program: the daemon's, and one inside this worker for those of the agent's tools that the
 * program lacks or may not use without asking. Configurations name the variable that holds a token.
 */
import { turnEnvironment, turnVariables } from "../../protocol/worker/turn-environment.ts";
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";
import type { TurnInput } from "../backends/backend.ts";

/** `token` is only for memory and pipes; everything else uses the name of its variable. */
export type Server = { name: string; url: string; token: string; tokenVariable: string };

export type Servers = AsyncDisposable & {
  servers: Server[];
  /** Names of the agent's tools that are served. */
  served: Set<string>;
  /** The variables that the program needs to reach them. */
  env: Record<string, string>;
};

/** The prefix of the daemon's tools, such as in `mcp__agent-worker__channel_send`; the form depends on the program. */
const daemonServer = "agent-worker";
export const toolServer = "tools";
export const toolVariables = { url: "AGENT_WORKER_TOOLS_URL", token: "AGENT_WORKER_TOOLS_TOKEN" };

/** Holds the provider's key for configurations that can name a variable. */
export const providerKeyVariable = "AGENT_WORKER_PROVIDER_KEY";

/** Local tools that programs also have, under names of their own. */
const commonTools = ["bash", "read_file", "write_file", "edit_file", "list_files", "search_code"];

/**
 * The agent's tools that the program may replace with its own. Mocked tools, and all tools if there is an approval
 * policy, are served by us instead.
 */
export function ownTools(spec: TurnSpec): Set<string> {
  return spec.definition.approval === undefined ? listedTools(spec) : new Set();
}

/**
 * The agent's tools that the program may have at all, with or without approval. Excludes mocked tools, which only we
 * can answer.
 */
export function listedTools({ definition, mocks = {} }: TurnSpec): Set<string> {
  const listed = commonTools.filter((name) => definition.tools.some((tool) => tool === name));
  return new Set(listed.filter((name) => !Object.hasOwn(mocks, name)));
}

/** Whether the program may change files or run commands with its own tools. */
export function mayChange(spec: TurnSpec): boolean {
  const own = ownTools(spec);
  return ["bash", "write_file", "edit_file"].some((tool) => own.has(tool));
}

/** `mcp__agent-worker__channel_send` is `channel_send`: each program adds the server's name in its own way. */
export function plainName(name: string, servers: Server[]): string {
  for (const server of servers) {
    const [, plain] = new RegExp(`^(?:mcp__)?${RegExp.escape(server.name)}(?:__|[_./:])(.+)$`).exec(name) ?? [];
    if (plain !== undefined) return plain;
  }
  return name;
}

/** `own` are the agent's tools that need not be served. */
export async function openServers(
  spec: TurnSpec,
  { tools, toolSecret, signal }: Pick<TurnInput, "tools" | "toolSecret" | "signal">,
  own: Set<string> = ownTools(spec),
): Promise<Servers> {
  const daemon = { name: daemonServer, url: spec.mcpUrl, token: spec.token, tokenVariable: turnVariables.token };
  const env = turnEnvironment(spec);
  const served = tools.filter(({ name }) => !own.has(name));
  if (served.length === 0) return { servers: [daemon], served: new Set(), env, [Symbol.asyncDispose]: async () => {} };
  const { serveTools } = await import("../tools/serve.ts");
  const { url, token, close } = serveTools(served, signal, toolSecret);
  return {
    served: new Set(served.map(({ name }) => name)),
    servers: [daemon, { name: toolServer, url, token, tokenVariable: toolVariables.token }],
    env: { ...env, [toolVariables.url]: url, [toolVariables.token]: token },
    [Symbol.asyncDispose]: close,
  };
}
