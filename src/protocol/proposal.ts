/** A proposal: a question with options, a rule by which it is answered, and votes. */
import { z } from "zod";

export const ProposalType = z.enum(["election", "decision", "approval", "assignment"]);
export type ProposalType = z.infer<typeof ProposalType>;

/** `plurality`: most votes. `majority`: more than half of the votes cast. `unanimous`: all votes cast. */
export const Resolution = z.enum(["plurality", "majority", "unanimous"]);
export type Resolution = z.infer<typeof Resolution>;

/** Who wins among those with equally many votes: the first of the options, one by chance, or whom the creator votes for. */
export const TieBreaker = z.enum(["first", "random", "creator-decides"]);
export type TieBreaker = z.infer<typeof TieBreaker>;

/** What a binding election gives to whoever is elected. */
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

/** A message that is sent, in the creator's name, only if the answer is yes. */
export const GatedMessage = z.object({ message: z.string(), to: z.array(z.string()).default([]) });
export type GatedMessage = z.infer<typeof GatedMessage>;

/** What is asked, complete: who may vote on what, and by which rule it is answered. */
export const Question = z.object({
  type: ProposalType,
  title: z.string(),
  description: z.string().nullable(),
  options: z.array(ProposalOption),
  voters: z.array(z.string()),
  resolution: Resolution,
  quorum: z.number().int(),
  tieBreaker: TieBreaker.nullable(),
  /** Whether the kernel carries the result out. */
  binding: z.boolean(),
  role: ElectedRole.nullable(),
  gates: GatedMessage.nullable(),
  /** The option that holds when the votes decide nothing. */
  fallback: z.string().nullable(),
});
export type Question = z.infer<typeof Question>;

export const Vote = z.object({
  voter: z.string(),
  choice: z.string(),
  reason: z.string().nullable(),
  at: z.number(),
});
export type Vote = z.infer<typeof Vote>;

/** What closed it: enough votes, votes that the missing ones could not change, the deadline, the run's end, a person or agent. */
export const ClosedBy = z.enum(["quorum", "certain", "deadline", "run-end", "cancelled"]);
export type ClosedBy = z.infer<typeof ClosedBy>;

export const ProposalResult = z.object({
  /** An option's id; of an expired proposal its fallback. */
  winner: z.string().nullable(),
  /** Each voter's choice. */
  votes: z.record(z.string(), z.string()),
  /** Votes of each option. */
  counts: z.record(z.string(), z.number().int()),
  by: ClosedBy,
  /** What chose among those with equally many votes; null when nothing had to. */
  tie: TieBreaker.nullable(),
  at: z.number(),
});
export type ProposalResult = z.infer<typeof ProposalResult>;

export const Proposal = Question.extend({
  /** Also the id of the message that asks. */
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

/** Votes per option, in the options' order. A creator who is no voter breaks ties and counts for nothing else. */
export function countVotes({ options, votes, voters }: Cast): number[] {
  const eligible = new Set(voters);
  return options.map(({ id }) => votes.filter(({ voter, choice }) => choice === id && eligible.has(voter)).length);
}

/** The votes cast, as a result tells them. */
export function votesOf(cast: Cast): Pick<ProposalResult, "votes" | "counts"> {
  const counts = countVotes(cast);
  return {
    votes: Object.fromEntries(cast.votes.map(({ voter, choice }) => [voter, choice])),
    counts: Object.fromEntries(cast.options.map(({ id }, index) => [id, counts[index] ?? 0])),
  };
}

/** What someone asks; what is left out has a default. */
export const NewProposal = z.object({
  type: ProposalType.default("decision").describe("decision unless said"),
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
      "Two or more, each an id or { id, label }; the team for an election or assignment, yes and no for an approval.",
    ),
  voters: z
    .array(z.string())
    .optional()
    .describe("Who may vote: agents, or user for the human; all agents unless said."),
  resolution: Resolution.default("plurality").describe("How votes decide."),
  quorum: z.number().optional().describe("Votes that are enough; all voters unless said."),
  tieBreaker: TieBreaker.optional().describe("first for plurality unless said; the other rules have none."),
  binding: z.boolean().default(true).describe("Whether the result is carried out."),
  role: ElectedRole.optional().describe(
    "Of a binding election: what the elected agent becomes; coordinator unless said.",
  ),
  gates: GatedMessage.optional().describe("Of a binding approval: a message that is sent only if the answer is yes."),
  timeoutSeconds: z.number().optional().describe("Closes it by the votes cast after so many seconds."),
  fallback: z.string().optional().describe("The option that holds when the votes decide nothing."),
});
export type NewProposal = z.output<typeof NewProposal>;
export type NewProposalInput = z.input<typeof NewProposal>;
