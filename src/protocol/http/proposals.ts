/** Routes of proposals: create, list and cancel them, and vote as the user. */
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

/** A proposal and the instance that it belongs to. */
export const ProposalResponse = Proposal.extend({ target: z.string(), project: z.string() });
export type ProposalResponse = z.infer<typeof ProposalResponse>;

export const proposalRoutes = {
  "GET /workflows/:target/proposals": route({
    summary: "Lists the proposals of an instance, newest first.",
    query: z.object({
      status: ProposalStatus.optional().describe("Only `active`, `resolved`, `expired` or `cancelled` ones."),
    }),
    response: { ProposalList },
  }),
  "POST /workflows/:target/proposals": route({
    summary: "Creates a proposal for the agents of a running instance and, if listed as a voter, the user.",
    body: { CreateProposalRequest },
    response: { ProposalResponse },
    status: 201,
  }),
  "GET /proposals/:id": route({ summary: "Returns one proposal with its votes.", response: { ProposalResponse } }),
  "POST /proposals/:id/votes": route({
    summary:
      "Votes as the user, replacing an earlier vote. Refused with 403 if the user is not a voter, with 409 if the proposal is closed.",
    body: { VoteRequest },
    response: { ProposalResponse },
  }),
  "DELETE /proposals/:id": route({
    summary: "Cancels an open proposal.",
    response: { ProposalResponse },
  }),
};
