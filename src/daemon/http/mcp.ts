/** The route of the MCP door. Its SDK is loaded at the first call, so that the daemon starts without waiting for it. */
import { Hono } from "hono";
import type { Claim } from "../store/store.ts";
import type { Env } from "./guard.ts";

/** Answers an MCP request, whose body has been read, for the claim that its token stands for or for nobody. */
export type AnswerMcp = (request: Request, body: unknown, claim: Claim | null) => Promise<Response>;

export function mcpRoutes(answer: AnswerMcp): Hono<Env> {
  return new Hono<Env>().all("/mcp", async (context) => {
    const identity = context.get("identity");
    return answer(context.req.raw, context.get("body"), identity.kind === "turn" ? identity.claim : null);
  });
}
