/** The route of the MCP door. */
import { Hono } from "hono";
import type { Identity } from "../kernel/identity.ts";
import type { Env } from "./guard.ts";

/** Answers an MCP request, whose body has been read, for whom its token stands for. */
export type AnswerMcp = (request: Request, body: unknown, who: Identity) => Promise<Response>;

export function mcpRoutes(answer: AnswerMcp): Hono<Env> {
  return new Hono<Env>().all("/mcp", (context) =>
    answer(context.req.raw, context.get("body"), context.get("identity")),
  );
}
