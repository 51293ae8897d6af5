/**
 * What votes come to. Pure: the same votes, and the same draw for chance, give the same answer.
 *
 * A proposal is decided by the votes cast once there are enough of them, or at its deadline; and before that as soon as
 * the missing votes could not change the outcome, those that were cast being taken as final.
 */
import { type Proposal, type Question, type TieBreaker, countVotes } from "../../protocol/proposal.ts";

export type Ballot = Pick<Question, "options" | "voters" | "resolution" | "quorum" | "tieBreaker" | "fallback"> & {
  creator: string;
  votes: Pick<Proposal["votes"][number], "voter" | "choice">[];
};

export type Tally =
  | { state: "open"; awaits: "votes" }
  /** There is a tie, and the creator has not said who of them wins it. */
  | { state: "open"; awaits: "creator"; tied: string[] }
  | { state: "resolved"; winner: string; by: "quorum" | "certain" | "closing"; tie: TieBreaker | null }
  | { state: "expired"; winner: string | null; by: "certain" | "closing" };

type Outcome = { winner: string; tie: TieBreaker | null } | { tied: string[] } | "none";

/** `closing`: nothing more is waited for. `chance` is at least 0 and less than 1. */
export function tally(ballot: Ballot, { closing, chance }: { closing: boolean; chance: number }): Tally {
  const counts = countVotes(ballot);
  const cast = sum(counts);
  const missing = ballot.voters.length - cast;
  const outcome = evaluate(ballot, counts, chance);
  const decided = typeof outcome === "object" && "winner" in outcome ? outcome : null;
  if (decided && cast >= ballot.quorum) return { state: "resolved", by: "quorum", ...decided };
  if (decided && isSure(ballot, counts, missing, decided.winner)) {
    return { state: "resolved", by: "certain", ...decided };
  }
  if (outcome === "none" && cast > 0 && isHopeless(ballot, counts, missing)) {
    return { state: "expired", winner: ballot.fallback, by: "certain" };
  }
  if (!closing) return { state: "open", ...awaited(outcome, missing) };
  if (decided) return { state: "resolved", by: "closing", ...decided };
  return { state: "expired", winner: ballot.fallback, by: "closing" };
}

/** The creator is asked last: a vote that is missing may end the tie. */
function awaited(outcome: Outcome, missing: number): { awaits: "votes" } | { awaits: "creator"; tied: string[] } {
  if (typeof outcome !== "object" || !("tied" in outcome) || missing > 0) return { awaits: "votes" };
  return { awaits: "creator", tied: outcome.tied };
}

/** What the votes cast come to by themselves. */
function evaluate(ballot: Ballot, counts: number[], chance: number): Outcome {
  const most = Math.max(...counts);
  if (most === 0) return "none";
  const cast = sum(counts);
  const top = counts.flatMap((count, index) => (count === most ? [index] : []));
  const [leader = 0] = top;
  if (top.length > 1) return breakTie(ballot, top, chance);
  const suffices = { plurality: true, majority: most * 2 > cast, unanimous: most === cast }[ballot.resolution];
  return suffices ? { winner: idOf(ballot, leader), tie: null } : "none";
}

function breakTie(ballot: Ballot, top: number[], chance: number): Outcome {
  const { tieBreaker } = ballot;
  if (tieBreaker === null) return "none";
  const [first = 0] = top;
  if (tieBreaker === "first") return { winner: idOf(ballot, first), tie: tieBreaker };
  if (tieBreaker === "random") {
    return { winner: idOf(ballot, top[Math.floor(chance * top.length)] ?? first), tie: tieBreaker };
  }
  const chosen = top.find((index) => idOf(ballot, index) === creatorsChoice(ballot));
  if (chosen === undefined) return { tied: top.map((index) => idOf(ballot, index)) };
  return { winner: idOf(ballot, chosen), tie: tieBreaker };
}

/** Whether `winner` wins, however the missing votes are cast, and if they are not. */
function isSure(ballot: Ballot, counts: number[], missing: number, winner: string): boolean {
  const index = ballot.options.findIndex(({ id }) => id === winner);
  const own = counts[index] ?? 0;
  const others = sum(counts) - own;
  const rivals = counts.map((count, rival) => ({ count, rival })).filter(({ rival }) => rival !== index);
  const winsTies = rivals.every(({ rival }) => winsTie(ballot, index, rival));
  if (ballot.resolution === "plurality") {
    return rivals.every(({ count, rival }) => {
      const lead = own - count - missing;
      return lead > 0 || (lead === 0 && winsTie(ballot, index, rival));
    });
  }
  if (missing === 0) return true;
  // The one vote that is missing makes at most a tie with the one that was cast.
  if (winsTies && own === 1 && others === 0 && missing === 1) return true;
  if (ballot.resolution === "unanimous") return false;
  // Half of the votes is a tie only where there is nobody else to share the other half.
  if (own * 2 === own + others + missing) return winsTies && rivals.length === 1;
  return own * 2 > own + others + missing;
}

/** Whether nobody can win any more, however the missing votes are cast. */
function isHopeless(ballot: Ballot, counts: number[], missing: number): boolean {
  const [most = 0, second = 0] = [...counts].sort((a, b) => b - a);
  if (ballot.resolution === "plurality") return missing === 0;
  if (ballot.tieBreaker !== null && most - second <= missing) return false;
  return ballot.resolution === "majority" ? most * 2 + missing <= sum(counts) : second > 0;
}

function winsTie(ballot: Ballot, index: number, rival: number): boolean {
  if (ballot.tieBreaker === "first") return index < rival;
  return ballot.tieBreaker === "creator-decides" && creatorsChoice(ballot) === idOf(ballot, index);
}

function creatorsChoice({ votes, creator }: Ballot): string | undefined {
  return votes.find(({ voter }) => voter === creator)?.choice;
}

function idOf({ options }: Ballot, index: number): string {
  return options[index]?.id ?? "";
}

function sum(counts: number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
