/** An instance's history as a whole: exported page by page, or cleared. */
import { Hono } from "hono";
import { z } from "zod";
import { type ClearAnswer, type Transcript, ClearRequest } from "../../protocol/http/history.ts";
import { pageSize } from "../../protocol/limits.ts";
import { Proposal } from "../../protocol/proposal.ts";
import { clearHistory } from "../kernel/operate/clear.ts";
import { listKnown } from "../kernel/documents/documents.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Env } from "./guard.ts";
import { readBody, readQuery, readTarget } from "./request.ts";

const Page = z.object({
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(pageSize).default(pageSize),
});

export function historyRoutes(kernel: Kernel): Hono<Env> {
  const { store } = kernel;
  return new Hono<Env>()
    .get("/workflows/:target/export", async (context) => {
      const { instance } = await readTarget(kernel, context);
      const { after, limit } = readQuery(context, Page);
      const messages = await store.messages(instance.id, "client", { after, limit });
      const last = messages.at(-1)?.seq ?? after;
      // Each is a message too, so a page cannot have more of them.
      const proposals = await store.proposals(instance.id, { after, until: last, limit });
      const transcript: Transcript = {
        workflow: await store.workflowInfo(instance.id),
        ...(after === 0 ? await listKnown(kernel, instance) : { documents: [], trouble: null }),
        proposals: proposals.toReversed().map((each) => Proposal.parse(each)),
        messages,
        next: messages.length === limit ? last : null,
      };
      return context.json(transcript);
    })
    .post("/workflows/:target/clear", async (context) => {
      const { body } = readBody(context, ClearRequest);
      const { instance } = await readTarget(kernel, context, body);
      const cleared = await clearHistory(kernel, instance);
      const answer: ClearAnswer = { ...cleared, workflow: await store.workflowInfo(instance.id) };
      return context.json(answer);
    });
}
