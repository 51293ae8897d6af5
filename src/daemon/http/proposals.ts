/** Proposals for people and their programs: asked, listed, voted on as the user, cancelled. */
import { Hono } from "hono";
import { z } from "zod";
import {
  type ProposalAnswer,
  type ProposalList,
  CreateProposalRequest,
  VoteRequest,
} from "../../protocol/http/proposals.ts";
import { pageSize } from "../../protocol/limits.ts";
import { Proposal, ProposalStatus } from "../../protocol/proposal.ts";
import { formatTarget } from "../../protocol/target.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Participant, StoredProposal } from "../store/data.ts";
import type { Env } from "./guard.ts";
import { readBody, readQuery, readTarget } from "./request.ts";

const Filter = z.object({ status: ProposalStatus.optional() });

export function proposalRoutes(kernel: Kernel): Hono<Env> {
  const { store, proposals } = kernel;

  const find = (id: string) => proposals.find(null, id);

  async function answer(proposal: StoredProposal): Promise<ProposalAnswer> {
    const instance = await store.instance(proposal.workflow);
    const target = instance ? formatTarget({ workflow: instance.name, tag: instance.tag }) : "";
    return { ...Proposal.parse(proposal), target, project: instance?.project ?? "" };
  }

  return new Hono<Env>()
    .get("/workflows/:target/proposals", async (context) => {
      const { instance } = await readTarget(kernel, context);
      const { status } = readQuery(context, Filter);
      const found = await store.proposals(instance.id, { status, limit: pageSize });
      return context.json({ proposals: found.map((each) => Proposal.parse(each)) } satisfies ProposalList);
    })
    .post("/workflows/:target/proposals", async (context) => {
      const { body } = readBody(context, CreateProposalRequest);
      const { instance } = await readTarget(kernel, context, body);
      const { proposal } = await proposals.open(instance, person(instance.id), body);
      return context.json(await answer(proposal), 201);
    })
    .get("/proposals/:id", async (context) => context.json(await answer(await find(context.req.param("id")))))
    .post("/proposals/:id/votes", async (context) => {
      const { body } = readBody(context, VoteRequest);
      const { id, workflow } = await find(context.req.param("id"));
      const { proposal } = await proposals.vote(person(workflow), { ...body, proposal: id });
      return context.json(await answer(proposal));
    })
    .delete("/proposals/:id", async (context) => {
      const { id, workflow } = await find(context.req.param("id"));
      return context.json(await answer(await proposals.cancel(person(workflow), id)));
    });
}

function person(workflow: string): Participant {
  return { workflow, name: "user" };
}
