/** A proposal: a question with options, decided by votes. */
import { z } from "zod";

export const ProposalType = z.enum(["election", "decision", "approval", "assignment"]);
export type ProposalType = z.infer<typeof ProposalType>;

/** How votes decide. `plurality`: most votes. `majority`: more than half of the votes cast. `unanimous`: all votes cast. */
export const Resolution = z.enum(["plurality", "majority", "unanimous"]);
export type Resolution = z.infer<typeof Resolution>;

/** Which of the tied options wins: the first in the list, a random one, or the creator's choice. */
export const TieBreaker = z.enum(["first", "random", "creator-decides"]);
export type TieBreaker = z.infer<typeof TieBreaker>;

/** The role that the winner of a binding election gets. */
export const ElectedRole = z.enum(["document-owner", "coordinator"]);
export type ElectedRole = z.infer<typeof ElectedRole>;

export const ProposalStatus = z.enum(["active", "resolved", "expired", "cancelled"]);
export type ProposalStatus = z.infer<typeof ProposalStatus>;

export const ProposalOption = z.object({
  id: z.string(),
  label: z.string(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
export type ProposalOption = z.infer<typeof ProposalOption>;

/** A message that is sent, with the creator as the sender, only if the answer is yes. */
export const GatedMessage = z.object({ message: z.string(), to: z.array(z.string()).default([]) });
export type GatedMessage = z.infer<typeof GatedMessage>;

/** A complete proposal: the question, the options, the voters and the resolution. */
export const ProposalTerms = z.object({
  type: ProposalType,
  title: z.string(),
  description: z.string().nullable(),
  options: z.array(ProposalOption),
  voters: z.array(z.string()),
  resolution: Resolution,
  quorum: z.number().int(),
  tieBreaker: TieBreaker.nullable(),
  /** Whether the daemon carries out the result. */
  binding: z.boolean(),
  role: ElectedRole.nullable(),
  gates: GatedMessage.nullable(),
  /** The option that applies if the votes do not decide. */
  fallback: z.string().nullable(),
});
export type ProposalTerms = z.infer<typeof ProposalTerms>;

export const Vote = z.object({
  voter: z.string(),
  choice: z.string(),
  reason: z.string().nullable(),
  at: z.number(),
});
export type Vote = z.infer<typeof Vote>;

/** What closed it. `certain`: the missing votes could not change the result. */
export const ClosedBy = z.enum(["quorum", "certain", "deadline", "run-end", "cancelled"]);
export type ClosedBy = z.infer<typeof ClosedBy>;

export const ProposalResult = z.object({
  /** The id of the winning option; if the proposal expired, its fallback. */
  winner: z.string().nullable(),
  /** Each voter's choice. */
  votes: z.record(z.string(), z.string()),
  /** Number of votes for each option. */
  counts: z.record(z.string(), z.number().int()),
  by: ClosedBy,
  /** The tie-breaker that decided; null if there was no tie. */
  tie: TieBreaker.nullable(),
  at: z.number(),
});
export type ProposalResult = z.infer<typeof ProposalResult>;

export const Proposal = ProposalTerms.extend({
  /** Also the id of the message that announces it. */
  id: z.string(),
  run: z.number().int(),
  creator: z.string(),
  status: ProposalStatus,
  createdAt: z.number(),
  deadline: z.number().nullable(),
  votes: z.array(Vote),
  result: ProposalResult.nullable(),
});
export type Proposal = z.infer<typeof Proposal>;

type Cast = Pick<Proposal, "options" | "voters"> & { votes: Pick<Vote, "voter" | "choice">[] };

/** Votes per option, in the order of the options. The vote of a creator who is not a voter only breaks ties. */
export function countVotes({ options, votes, voters }: Cast): number[] {
  const eligible = new Set(voters);
  return options.map(({ id }) => votes.filter(({ voter, choice }) => choice === id && eligible.has(voter)).length);
}

/** The votes cast, in the form of a result. */
export function votesOf(cast: Cast): Pick<ProposalResult, "votes" | "counts"> {
  const counts = countVotes(cast);
  return {
    votes: Object.fromEntries(cast.votes.map(({ voter, choice }) => [voter, choice])),
    counts: Object.fromEntries(cast.options.map(({ id }, index) => [id, counts[index] ?? 0])),
  };
}

/** A proposal as a caller writes it; missing fields have defaults. */
export const NewProposal = z.object({
  type: ProposalType.default("decision").describe("The type of proposal."),
  title: z.string().describe("The question, in one line."),
  description: z.string().optional().describe("What voters should know."),
  options: z
    .array(
      z.union([
        z.string(),
        z.object({
          id: z.string(),
          label: z.string().optional(),
          metadata: z.record(z.string(), z.unknown()).optional(),
        }),
      ]),
    )
    .optional()
    .describe(
      "Two or more, each an id or { id, label }. Default: the agents for an election or assignment, yes and no for an approval.",
    ),
  voters: z.array(z.string()).optional().describe("Who can vote: agents, or user for the human. Default: all agents."),
  resolution: Resolution.default("plurality").describe("How votes decide."),
  quorum: z.number().optional().describe("How many votes are enough. Default: all voters."),
  tieBreaker: TieBreaker.optional().describe("Default for plurality: first. The other resolutions have none."),
  binding: z.boolean().default(true).describe("Whether the result is carried out."),
  role: ElectedRole.optional().describe("For a binding election: the role of the elected agent. Default: coordinator."),
  gates: GatedMessage.optional().describe("For a binding approval: a message that is sent only if the answer is yes."),
  timeoutSeconds: z
    .number()
    .optional()
    .describe("Closes the proposal after this many seconds, with the votes cast by then."),
  fallback: z.string().optional().describe("The option that applies if the votes do not decide."),
});
export type NewProposal = z.output<typeof NewProposal>;
export type NewProposalInput = z.input<typeof NewProposal>;
