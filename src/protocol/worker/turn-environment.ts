/** The environment variables of programs that an agent starts: the URL of the MCP server and the token of the turn. */

export const turnVariables = { url: "AGENT_WORKER_URL", token: "AGENT_WORKER_TOKEN" } as const;

/** The token is valid until the turn ends, and only for context tools. */
export function turnEnvironment({ mcpUrl, token }: { mcpUrl: string; token: string }): Record<string, string> {
  return { [turnVariables.url]: mcpUrl, [turnVariables.token]: token };
}
