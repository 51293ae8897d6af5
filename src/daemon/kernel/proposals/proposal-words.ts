/** What is said about proposals: the question, the reminder, the result, and its entry among the decisions. */
import type { Proposal, ProposalResult, ProposalTerms } from "../../../protocol/proposal.ts";

/** Options and voters that a sentence names. */
const namedAtMost = 10;

const resolutionTexts = {
  plurality: "the most votes win",
  majority: "more than half of the votes cast win",
  unanimous: "all votes cast must agree",
};

/** The message that asks for votes. Its id is the proposal's. */
export function askWords(terms: ProposalTerms): string {
  const { type, title, description, options, resolution, quorum, voters } = terms;
  const enough = quorum < voters.length ? `, and ${quorum} of ${voters.length} votes are enough` : "";
  return [
    `Proposal (${type}): ${title}`,
    ...(description === null ? [] : [description]),
    `Options:\n${options.map(({ id, label }) => (id === label ? `- ${id}` : `- ${id}: ${label}`)).join("\n")}`,
    `By ${resolution}: ${resolutionTexts[resolution]}${enough}. Vote with the tool vote: proposal is this message's id, choice an option's id.`,
  ].join("\n\n");
}

export function reminderWords({ id, title, options }: Proposal): string {
  const ids = some(options.map((option) => option.id));
  return `Your vote is missing: ${title} (proposal ${id}). The options are ${ids}. It closes without you after this.`;
}

/** To a creator who said that it would decide a tie. */
export function tieWords({ id, title }: Proposal, tied: string[]): string {
  return `The vote on ${title} (proposal ${id}) is a tie between ${some(tied)}. You decide it: vote for one of them.`;
}

export function resultWords(
  proposal: ProposalTerms,
  status: Proposal["status"],
  result: Omit<ProposalResult, "at">,
): string {
  const { title } = proposal;
  const counts = `(${countWords(proposal, result)})`;
  if (status === "cancelled") return `Cancelled: ${title} ${counts}`;
  const winner = result.winner === null ? null : labelOf(proposal, result.winner);
  if (status === "expired") {
    const holds = winner === null ? "nothing is decided" : `the fallback holds: ${winner}`;
    return `No decision by vote: ${title} — ${holds} ${counts}`;
  }
  return `Decided: ${title} — ${winner} ${counts}${tieEnd(result)}`;
}

/** What the chosen agent is told. */
export function assignmentWords({ title, description }: ProposalTerms): string {
  return [`You were chosen for this: ${title}`, ...(description === null ? [] : [description])].join("\n\n");
}

/** Tells an entry of `decisions.md` from all others. */
export function decisionMark({ id }: Proposal): string {
  return `Proposal ${id}`;
}

/** One entry of `decisions.md`. */
export function decisionEntry(proposal: Proposal): string {
  const { title, description, type, status, creator, options, votes, result, createdAt } = proposal;
  const winner = result?.winner == null ? "nothing" : labelOf(proposal, result.winner);
  const outcome = status === "expired" ? `${winner} (no decision by vote)` : winner;
  const lines = options.map(({ id }) => {
    const who = votes.filter(({ choice }) => choice === id).map((vote) => voterWords(vote.voter, vote.reason));
    return `- ${labelOf(proposal, id)}: ${result?.counts[id] ?? 0}${who.length > 0 ? ` (${who.join("; ")})` : ""}`;
  });
  const when = new Date(result?.at ?? createdAt).toISOString().replace(/\.\d+Z$/, "Z");
  const parts = [
    `## ${title}`,
    ...(description === null ? [] : [description]),
    `**${outcome}**${result ? tieEnd(result) : ""}`,
    lines.join("\n"),
    `${decisionMark(proposal)}, ${type} by ${creator}, ${status} ${when}`,
  ];
  return `${parts.join("\n\n")}\n`;
}

function tieEnd({ tie }: Pick<ProposalResult, "tie">): string {
  if (tie === null) return "";
  const ends = {
    first: "the first of the options wins",
    random: "drawn by lot",
    "creator-decides": "its creator chose",
  };
  return `, after a tie: ${ends[tie]}`;
}

function countWords({ options, voters }: ProposalTerms, { counts, votes }: Omit<ProposalResult, "at">): string {
  const cast = `${Object.keys(votes).filter((voter) => voters.includes(voter)).length} of ${voters.length} votes`;
  const each = options.filter(({ id }) => (counts[id] ?? 0) > 0).map(({ id }) => `${id} ${counts[id]}`);
  return each.length === 0 ? cast : `${cast}: ${some(each)}`;
}

function voterWords(voter: string, reason: string | null): string {
  return reason === null ? voter : `${voter}: ${reason.replaceAll(/\s+/g, " ")}`;
}

function labelOf({ options }: ProposalTerms, id: string): string {
  const label = options.find((option) => option.id === id)?.label ?? id;
  return label === id ? id : `${id}: ${label}`;
}

function some(names: string[]): string {
  return names.length > namedAtMost ? `${names.slice(0, namedAtMost).join(", ")}, …` : names.join(", ");
}
