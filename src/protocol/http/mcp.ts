/** The route of the MCP door. */
import { route } from "./route.ts";

export const mcpRoutes = {
  "ALL /mcp": route({ summary: "The tools of agents; see [the MCP door](mcp.md).", answer: "MCP" }),
};
