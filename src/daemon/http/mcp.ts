/** The route of the MCP server. */
import type { mcpRoutes } from "../../protocol/http/mcp.ts";
import type { Identity } from "../kernel/identity.ts";
import type { Handlers } from "./handlers.ts";

/** Answers an MCP request, whose body has already been read, on behalf of its token's identity. */
export type AnswerMcp = (request: Request, body: unknown, identity: Identity) => Promise<Response>;

export function mcpHandlers(answer: AnswerMcp): Handlers<keyof typeof mcpRoutes> {
  return { "ALL /mcp": ({ request, body, identity }) => answer(request, body, identity) };
}
