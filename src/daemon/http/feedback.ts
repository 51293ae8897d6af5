/** Feedback: given by people here, by agents through MCP, and listed for whoever can make use of it. */
import { Hono } from "hono";
import { z } from "zod";
import { type FeedbackList, FeedbackRequest } from "../../protocol/http/bodies.ts";
import { pageSize } from "../../protocol/limits.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Env } from "./guard.ts";
import { readBody, readQuery } from "./request.ts";

const Page = z.object({ limit: z.coerce.number().int().min(1).max(pageSize).default(100) });

export function feedbackRoutes(kernel: Operations): Hono<Env> {
  return new Hono<Env>()
    .get("/feedback", async (context) => {
      const { limit } = readQuery(context, Page);
      return context.json({ feedback: await kernel.listFeedback(limit) } satisfies FeedbackList);
    })
    .post("/feedback", async (context) => {
      const { body } = readBody(context, FeedbackRequest);
      return context.json(await kernel.addFeedback("user", body), 201);
    });
}
