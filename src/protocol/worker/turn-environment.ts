/** How the programs that an agent starts find their way back: the address of the MCP door and their turn's secret. */

export const turnVariables = { url: "AGENT_WORKER_URL", token: "AGENT_WORKER_TOKEN" } as const;

/** What such a program is given. The token is good until the turn ends, for context tools alone. */
export function turnEnvironment({ mcpUrl, token }: { mcpUrl: string; token: string }): Record<string, string> {
  return { [turnVariables.url]: mcpUrl, [turnVariables.token]: token };
}
