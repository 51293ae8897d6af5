/** Proposals for people and their programs: asked, listed, voted on as the user, cancelled. */
import { Hono } from "hono";
import { z } from "zod";
import { CreateProposalRequest, type ProposalList, VoteRequest } from "../../protocol/http/bodies.ts";
import { ProposalStatus } from "../../protocol/proposal.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Env } from "./guard.ts";
import { readBody, readQuery, readTarget } from "./request.ts";

const Filter = z.object({ status: ProposalStatus.optional() });

export function proposalRoutes(kernel: Operations): Hono<Env> {
  return new Hono<Env>()
    .get("/workflows/:target/proposals", async (context) => {
      const { instance } = await readTarget(kernel, context);
      const { status } = readQuery(context, Filter);
      return context.json({ proposals: await kernel.listProposals(instance, status) } satisfies ProposalList);
    })
    .post("/workflows/:target/proposals", async (context) => {
      const { body } = readBody(context, CreateProposalRequest);
      const { instance } = await readTarget(kernel, context, body);
      return context.json(await kernel.proposeFromPerson(instance, body), 201);
    })
    .get("/proposals/:id", async (context) => context.json(await kernel.readProposal(context.req.param("id"))))
    .post("/proposals/:id/votes", async (context) => {
      const { body } = readBody(context, VoteRequest);
      return context.json(await kernel.voteFromPerson(context.req.param("id"), body));
    })
    .delete("/proposals/:id", async (context) => context.json(await kernel.cancelFromPerson(context.req.param("id"))));
}
