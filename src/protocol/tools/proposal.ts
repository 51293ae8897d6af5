/** The tools of proposals: what they take and give. */
import { z } from "zod";
import { NewProposal, Proposal, ProposalStatus } from "../proposal.ts";

const proposal = z.string().describe("Its id: that of the message that asks.");

export const ProposalCreateInput = NewProposal;
export const ProposalCreateResult = z.object({
  id: z.string(),
  status: ProposalStatus,
  voters: z.array(z.string()),
  options: z.array(z.string()),
  deadline: z.number().nullable(),
  /** Voters that do not run now. */
  parked: z.array(z.string()),
  /** An earlier attempt of this turn had asked exactly this: it was not asked again. */
  repeated: z.boolean(),
});
export const VoteInput = z.object({
  proposal,
  choice: z.string().describe("The id of the option."),
  reason: z.string().optional().describe("Why, in a sentence; it is written down with the decision."),
});
export const VoteResult = z.object({
  proposal: z.string(),
  choice: z.string(),
  /** Not `active` any more: this vote, or one before it, has decided it. */
  status: ProposalStatus,
  winner: z.string().nullable(),
});
export const ProposalStatusInput = z.object({
  proposal: proposal.optional().describe("Its id; all that are open unless said."),
});
export const ProposalStatusResult = z.object({
  proposals: z.array(
    Proposal.extend({
      /** What you have voted for. */
      yours: z.string().nullable(),
      mayVote: z.boolean(),
    }),
  ),
});
export type ProposalStatusResult = z.infer<typeof ProposalStatusResult>;
export const ProposalCancelInput = z.object({ proposal });
export const ProposalStateResult = z.object({ proposal: z.string(), status: ProposalStatus });
