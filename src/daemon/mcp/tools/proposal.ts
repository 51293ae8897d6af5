/** Proposal tools: the team decides something by vote. */
import type { Proposal } from "../../../protocol/proposal.ts";
import {
  ProposalCancelInput,
  ProposalCreateInput,
  ProposalCreateResult,
  ProposalStatusInput,
  ProposalStatusResult,
  ProposalStateResult,
  VoteInput,
  VoteResult,
} from "../../../protocol/tools/proposal.ts";
import { indent } from "../../../text/frame.ts";
import { defineTool } from "../tool.ts";

const proposalCreate = defineTool({
  name: "proposal_create",
  title: "Create a proposal",
  description:
    "Ask the team to decide something by vote. Every voter, including you, gets it in its inbox, and you get the result.",
  input: ProposalCreateInput,
  output: ProposalCreateResult,
  readOnly: false,
  idempotent: false,
  async run({ operations, claim }, input) {
    const { proposal, parked, repeated } = await operations.proposeFromTurn(claim, input);
    const { id, status, voters, options, deadline } = proposal;
    const lines = [
      repeated ? `You already asked this: proposal ${id}.` : `Asked ${voters.join(", ")}: proposal ${id}.`,
      ...(parked.length > 0 ? [`${parked.join(", ")} cannot run now.`] : []),
      ...(proposal.mayVote ? ["You can vote too."] : []),
    ];
    const result = { id, status, voters, options: options.map((option) => option.id), deadline, parked, repeated };
    return { text: lines.join(" "), result };
  },
});

const vote = defineTool({
  name: "vote",
  title: "Vote",
  description: "Vote on a proposal. You can vote again until it is decided: your latest vote counts.",
  input: VoteInput,
  output: VoteResult,
  readOnly: false,
  idempotent: true,
  async run({ operations, claim }, input) {
    const proposal = await operations.voteFromTurn(claim, input);
    const own = proposal.votes.find(({ voter }) => voter === claim.agent)?.choice ?? input.choice;
    const text = `You voted for ${own}. ${describeState(proposal)}`;
    const { id, status, result } = proposal;
    return { text, result: { proposal: id, choice: own, status, winner: result?.winner ?? null } };
  },
});

const proposalStatus = defineTool({
  name: "proposal_status",
  title: "Show proposals",
  description: "Show one proposal with its votes, or all open proposals.",
  input: ProposalStatusInput,
  output: ProposalStatusResult,
  readOnly: true,
  idempotent: true,
  async run({ operations, claim }, { proposal: id }) {
    const found = await operations.findProposals(claim, id);
    const text = found.map((proposal) => show(proposal, claim.agent)).join("\n\n") || "There are no open proposals.";
    const proposals = found.map((proposal) => ({
      ...proposal,
      yours: proposal.votes.find(({ voter }) => voter === claim.agent)?.choice ?? null,
    }));
    return { text, result: ProposalStatusResult.parse({ proposals }) };
  },
});

const proposalCancel = defineTool({
  name: "proposal_cancel",
  title: "Cancel a proposal",
  description: "Cancel one of your own proposals that is not decided yet.",
  input: ProposalCancelInput,
  output: ProposalStateResult,
  readOnly: false,
  idempotent: true,
  destructive: true,
  async run({ operations, claim }, { proposal }) {
    const { id, status } = await operations.cancelFromTurn(claim, proposal);
    return { text: "Cancelled.", result: { proposal: id, status } };
  },
});

export const proposalTools = [proposalCreate, vote, proposalStatus, proposalCancel];

function show(proposal: Proposal, agent: string): string {
  const { id, type, title, description, options, votes, voters } = proposal;
  const lines = options.map((option) => {
    const who = votes.filter(({ choice }) => choice === option.id).map(({ voter }) => voter);
    const label = option.label === option.id ? option.id : `${option.id}: ${option.label}`;
    return `- ${label}${who.length > 0 ? ` (${who.join(", ")})` : ""}`;
  });
  const own = votes.find(({ voter }) => voter === agent)?.choice;
  return [
    `${id} (${type}): ${title}`,
    ...(description === null ? [] : [indent(description)]),
    ...lines,
    `${votes.length} of ${voters.length} votes. ${describeState(proposal)}${own === undefined ? "" : ` You voted for ${own}.`}`,
  ].join("\n");
}

function describeState({ status, result }: Proposal): string {
  if (status === "active") return "It is still open.";
  return `It is ${status}${result?.winner == null ? "" : `: ${result.winner}`}.`;
}
