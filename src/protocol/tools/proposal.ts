/** The proposal tools: their inputs and results. */
import { z } from "zod";
import { NewProposal, Proposal, ProposalStatus } from "../proposal.ts";

const proposal = z.string().describe("The id of the proposal, which is also the id of its message.");

export const ProposalCreateInput = NewProposal;
export const ProposalCreateResult = z.object({
  id: z.string(),
  status: ProposalStatus,
  voters: z.array(z.string()),
  options: z.array(z.string()),
  deadline: z.number().nullable(),
  /** Voters that are not running now. */
  parked: z.array(z.string()),
  /** An earlier attempt of this turn created exactly this proposal, so it was not created again. */
  repeated: z.boolean(),
});
export const VoteInput = z.object({
  proposal,
  choice: z.string().describe("The id of the option."),
  reason: z.string().optional().describe("Why, in one sentence; it is recorded with the decision."),
});
export const VoteResult = z.object({
  proposal: z.string(),
  choice: z.string(),
  /** No longer `active` if this vote, or an earlier one, has decided it. */
  status: ProposalStatus,
  winner: z.string().nullable(),
});
export const ProposalStatusInput = z.object({
  proposal: proposal.optional().describe("The id of the proposal. Default: all open proposals."),
});
export const ProposalStatusResult = z.object({
  proposals: z.array(
    Proposal.extend({
      /** The option that you voted for. */
      yours: z.string().nullable(),
      mayVote: z.boolean(),
    }),
  ),
});
export type ProposalStatusResult = z.infer<typeof ProposalStatusResult>;
export const ProposalCancelInput = z.object({ proposal });
export const ProposalStateResult = z.object({ proposal: z.string(), status: ProposalStatus });
