/**
 * Counts votes. Pure: the same votes and the same `chance` give the same result.
 *
 * The votes cast decide once the quorum is reached or the deadline has passed, and earlier if the missing votes can no
 * longer change the result, assuming that no vote cast is changed.
 */
import { type Proposal, type ProposalTerms, type TieBreaker, countVotes } from "../../../protocol/proposal.ts";

/** The parts of a proposal needed for counting. */
export type Tallied = Pick<
  ProposalTerms,
  "options" | "voters" | "resolution" | "quorum" | "tieBreaker" | "fallback"
> & {
  creator: string;
  votes: Pick<Proposal["votes"][number], "voter" | "choice">[];
};

export type Tally =
  | { state: "open"; awaits: "votes" }
  /** There is a tie, and the creator has not decided it yet. */
  | { state: "open"; awaits: "creator"; tied: string[] }
  | { state: "resolved"; winner: string; by: "quorum" | "certain" | "closing"; tie: TieBreaker | null }
  | { state: "expired"; winner: string | null; by: "certain" | "closing" };

type Outcome = { winner: string; tie: TieBreaker | null } | { tied: string[] } | "none";

/** `closing`: do not wait for more votes. `chance`: a number from 0 to below 1. */
export function tally(proposal: Tallied, { closing, chance }: { closing: boolean; chance: number }): Tally {
  const counts = countVotes(proposal);
  const cast = sum(counts);
  const missing = proposal.voters.length - cast;
  const outcome = evaluate(proposal, counts, chance);
  const decided = typeof outcome === "object" && "winner" in outcome ? outcome : null;
  if (decided && cast >= proposal.quorum) return { state: "resolved", by: "quorum", ...decided };
  if (decided && isSure(proposal, counts, missing, decided.winner)) {
    return { state: "resolved", by: "certain", ...decided };
  }
  if (outcome === "none" && cast > 0 && isHopeless(proposal, counts, missing)) {
    return { state: "expired", winner: proposal.fallback, by: "certain" };
  }
  if (!closing) return { state: "open", ...awaited(outcome, missing) };
  if (decided) return { state: "resolved", by: "closing", ...decided };
  return { state: "expired", winner: proposal.fallback, by: "closing" };
}

/** The creator is asked last, since a missing vote can still break the tie. */
function awaited(outcome: Outcome, missing: number): { awaits: "votes" } | { awaits: "creator"; tied: string[] } {
  if (typeof outcome !== "object" || !("tied" in outcome) || missing > 0) return { awaits: "votes" };
  return { awaits: "creator", tied: outcome.tied };
}

/** The result of the votes cast, without the missing ones. */
function evaluate(proposal: Tallied, counts: number[], chance: number): Outcome {
  const most = Math.max(...counts);
  if (most === 0) return "none";
  const cast = sum(counts);
  const top = counts.flatMap((count, index) => (count === most ? [index] : []));
  const [leader = 0] = top;
  if (top.length > 1) return breakTie(proposal, top, chance);
  const suffices = { plurality: true, majority: most * 2 > cast, unanimous: most === cast }[proposal.resolution];
  return suffices ? { winner: idOf(proposal, leader), tie: null } : "none";
}

function breakTie(proposal: Tallied, top: number[], chance: number): Outcome {
  const { tieBreaker } = proposal;
  if (tieBreaker === null) return "none";
  const [first = 0] = top;
  if (tieBreaker === "first") return { winner: idOf(proposal, first), tie: tieBreaker };
  if (tieBreaker === "random") {
    return { winner: idOf(proposal, top[Math.floor(chance * top.length)] ?? first), tie: tieBreaker };
  }
  const chosen = top.find((index) => idOf(proposal, index) === creatorsChoice(proposal));
  if (chosen === undefined) return { tied: top.map((index) => idOf(proposal, index)) };
  return { winner: idOf(proposal, chosen), tie: tieBreaker };
}

/** Whether `winner` wins regardless of the missing votes. */
function isSure(proposal: Tallied, counts: number[], missing: number, winner: string): boolean {
  const index = proposal.options.findIndex(({ id }) => id === winner);
  const own = counts[index] ?? 0;
  const others = sum(counts) - own;
  const rivals = counts.map((count, rival) => ({ count, rival })).filter(({ rival }) => rival !== index);
  const winsTies = rivals.every(({ rival }) => winsTie(proposal, index, rival));
  if (proposal.resolution === "plurality") {
    return rivals.every(({ count, rival }) => {
      const lead = own - count - missing;
      return lead > 0 || (lead === 0 && winsTie(proposal, index, rival));
    });
  }
  if (missing === 0) return true;
  // The only missing vote can at most tie with the only vote cast.
  if (winsTies && own === 1 && others === 0 && missing === 1) return true;
  if (proposal.resolution === "unanimous") return false;
  // Half of the votes is a tie only if one other option has the other half.
  if (own * 2 === own + others + missing) return winsTies && rivals.length === 1;
  return own * 2 > own + others + missing;
}

/** Whether no option can win any more, regardless of the missing votes. */
function isHopeless(proposal: Tallied, counts: number[], missing: number): boolean {
  const [most = 0, second = 0] = [...counts].sort((a, b) => b - a);
  if (proposal.resolution === "plurality") return missing === 0;
  if (proposal.tieBreaker !== null && most - second <= missing) return false;
  return proposal.resolution === "majority" ? most * 2 + missing <= sum(counts) : second > 0;
}

function winsTie(proposal: Tallied, index: number, rival: number): boolean {
  if (proposal.tieBreaker === "first") return index < rival;
  return proposal.tieBreaker === "creator-decides" && creatorsChoice(proposal) === idOf(proposal, index);
}

function creatorsChoice({ votes, creator }: Tallied): string | undefined {
  return votes.find(({ voter }) => voter === creator)?.choice;
}

function idOf({ options }: Tallied, index: number): string {
  return options[index]?.id ?? "";
}

function sum(counts: number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
