/** The route of the MCP door. */
import type { mcpRoutes } from "../../protocol/http/mcp.ts";
import type { Identity } from "../kernel/identity.ts";
import type { Handlers } from "./handlers.ts";

/** Answers an MCP request, whose body has been read, for whom its token stands for. */
export type AnswerMcp = (request: Request, body: unknown, who: Identity) => Promise<Response>;

export function mcpHandlers(answer: AnswerMcp): Handlers<keyof typeof mcpRoutes> {
  return { "ALL /mcp": ({ request, body, identity }) => answer(request, body, identity) };
}
