/** The texts about proposals: the question, the reminder, the result, and the entry in `decisions.md`. */
import type { Proposal, ProposalResult, ProposalTerms } from "../../../protocol/proposal.ts";

/** How many options or voters a sentence lists. */
const maxListed = 10;

const resolutions = {
  plurality: "the option with the most votes wins",
  majority: "an option wins with more than half of the votes cast",
  unanimous: "all votes cast must agree",
};

/** The message that asks for votes; its id is the id of the proposal. */
export function askText(terms: ProposalTerms): string {
  const { type, title, description, options, resolution, quorum, voters } = terms;
  const enough = quorum < voters.length ? `, and ${quorum} of ${voters.length} votes are enough` : "";
  return [
    `Proposal (${type}): ${title}`,
    ...(description === null ? [] : [description]),
    `Options:\n${options.map(({ id, label }) => (id === label ? `- ${id}` : `- ${id}: ${label}`)).join("\n")}`,
    `By ${resolution}: ${resolutions[resolution]}${enough}. Use the vote tool: proposal is the id of this message, choice is the id of an option.`,
  ].join("\n\n");
}

export function reminderText({ id, title, options }: Proposal): string {
  const ids = some(options.map((option) => option.id));
  return `Your vote is missing: ${title} (proposal ${id}). The options are ${ids}. If you do not vote now, it closes without your vote.`;
}

/** For the creator of a proposal with `creator-decides`. */
export function tieText({ id, title }: Proposal, tied: string[]): string {
  return `The vote on ${title} (proposal ${id}) is tied between ${some(tied)}. You decide: vote for one of them.`;
}

export function resultText(
  proposal: ProposalTerms,
  status: Proposal["status"],
  result: Omit<ProposalResult, "at">,
): string {
  const { title } = proposal;
  const counts = `(${countText(proposal, result)})`;
  if (status === "cancelled") return `Cancelled: ${title} ${counts}`;
  const winner = result.winner === null ? null : labelOf(proposal, result.winner);
  if (status === "expired") {
    const holds = winner === null ? "nothing is decided" : `the fallback applies: ${winner}`;
    return `No decision by vote: ${title} — ${holds} ${counts}`;
  }
  return `Decided: ${title} — ${winner} ${counts}${tieEnd(result)}`;
}

/** The message to the chosen agent. */
export function assignmentText({ title, description }: ProposalTerms): string {
  return [`You were chosen for this: ${title}`, ...(description === null ? [] : [description])].join("\n\n");
}

/** Identifies an entry of `decisions.md`. */
export function decisionMark({ id }: Proposal): string {
  return `Proposal ${id}`;
}

/** One entry of `decisions.md`. */
export function decisionEntry(proposal: Proposal): string {
  const { title, description, type, status, creator, options, votes, result, createdAt } = proposal;
  const winner = result?.winner == null ? "nothing" : labelOf(proposal, result.winner);
  const outcome = status === "expired" ? `${winner} (no decision by vote)` : winner;
  const lines = options.map(({ id }) => {
    const who = votes.filter(({ choice }) => choice === id).map((vote) => voterText(vote.voter, vote.reason));
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
    first: "the first option wins",
    random: "chosen at random",
    "creator-decides": "its creator chose",
  };
  return `, after a tie: ${ends[tie]}`;
}

function countText({ options, voters }: ProposalTerms, { counts, votes }: Omit<ProposalResult, "at">): string {
  const cast = `${Object.keys(votes).filter((voter) => voters.includes(voter)).length} of ${voters.length} votes`;
  const each = options.filter(({ id }) => (counts[id] ?? 0) > 0).map(({ id }) => `${id} ${counts[id]}`);
  return each.length === 0 ? cast : `${cast}: ${some(each)}`;
}

function voterText(voter: string, reason: string | null): string {
  return reason === null ? voter : `${voter}: ${reason.replaceAll(/\s+/g, " ")}`;
}

function labelOf({ options }: ProposalTerms, id: string): string {
  const label = options.find((option) => option.id === id)?.label ?? id;
  return label === id ? id : `${id}: ${label}`;
}

function some(names: string[]): string {
  return names.length > maxListed ? `${names.slice(0, maxListed).join(", ")}, …` : names.join(", ");
}
