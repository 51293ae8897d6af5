/**
 * The MCP servers that a program is given: the daemon's, and one for the agent's own tools where it has any that the
 * program lacks. Configurations name the variable that holds the token.
 */
import type { TurnSpec } from "../../protocol/worker.ts";

/** `token` is for memory and pipes; all else names the variable. */
export type Server = { name: string; url: string; token: string; tokenVariable: string };

/** What the daemon's tools are called behind: `mcp__agent-worker__channel_send` in one program, otherwise in another. */
export const daemonServer = "agent-worker";
export const tokenVariable = "AGENT_WORKER_TOKEN";
export const urlVariable = "AGENT_WORKER_MCP_URL";

/** The servers, and the part of the environment that they need. */
export function serversOf(spec: Pick<TurnSpec, "mcpUrl" | "token">): {
  servers: Server[];
  env: Record<string, string>;
} {
  return {
    servers: [{ name: daemonServer, url: spec.mcpUrl, token: spec.token, tokenVariable }],
    env: { [tokenVariable]: spec.token, [urlVariable]: spec.mcpUrl },
  };
}
