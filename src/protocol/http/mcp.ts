/** The route of the MCP server. */
import { route } from "./route.ts";

export const mcpRoutes = {
  "ALL /mcp": route({
    summary: "The MCP server, with the tools of agents and clients; see [MCP server](mcp.md).",
    response: "MCP",
  }),
};
