/** Proposals for people and their programs: asked, listed, voted on as the user, cancelled. */
import { z } from "zod";
import { NewProposal, Proposal, ProposalStatus } from "../proposal.ts";
import { Origin } from "./origin.ts";
import { route } from "./route.ts";

/** `POST /workflows/:target/proposals`. */
export const CreateProposalRequest = NewProposal.extend(Origin.shape).strict();
export type CreateProposalRequestInput = z.input<typeof CreateProposalRequest>;

/** `POST /proposals/:id/votes`: the user's vote. */
export const VoteRequest = z.strictObject({ choice: z.string(), reason: z.string().optional() });
export const ProposalList = z.object({ proposals: z.array(Proposal) });
export type ProposalList = z.infer<typeof ProposalList>;

/** A proposal, and the instance it belongs to. */
export const ProposalAnswer = Proposal.extend({ target: z.string(), project: z.string() });
export type ProposalAnswer = z.infer<typeof ProposalAnswer>;

export const proposalRoutes = {
  "GET /workflows/:target/proposals": route({
    summary: "What an instance has voted on, newest first.",
    query: z.object({
      status: ProposalStatus.optional().describe("Only `active`, `resolved`, `expired` or `cancelled` ones."),
    }),
    answer: { ProposalList },
  }),
  "POST /workflows/:target/proposals": route({
    summary: "Asks the agents of a running instance, and perhaps the user, for votes.",
    body: { CreateProposalRequest },
    answer: { ProposalAnswer },
    status: 201,
  }),
  "GET /proposals/:id": route({ summary: "One proposal with its votes.", answer: { ProposalAnswer } }),
  "POST /proposals/:id/votes": route({
    summary:
      "The user's vote, in place of an earlier one. Refused with 403 where the user has none, with 409 when it is closed.",
    body: { VoteRequest },
    answer: { ProposalAnswer },
  }),
  "DELETE /proposals/:id": route({
    summary: "Cancels a proposal that is not decided yet.",
    answer: { ProposalAnswer },
  }),
};
