/** The route of the MCP door. Its SDK is loaded at the first call, so that the daemon starts without waiting for it. */
import { Hono } from "hono";
import type { Claim } from "../store/store.ts";
import type { Env } from "./guard.ts";

/** Answers an MCP request for the claim that its token stands for, or for nobody in particular. */
export type AnswerMcp = (request: Request, claim: Claim | null) => Promise<Response>;

export function mcpRoutes(answer: AnswerMcp): Hono<Env> {
  return new Hono<Env>().all("/mcp", async (context) => {
    const identity = context.get("identity");
    return answer(context.req.raw, identity.kind === "turn" ? identity.claim : null);
  });
}
