/** How a proposal closes: everything the store has to write for a tally. */
import { type Proposal, type ProposalResult, votesOf } from "../../../protocol/proposal.ts";
import type { Closing, Draft, StoredProposal } from "../../store/data.ts";
import { assignmentText, resultText } from "./proposal-text.ts";
import { checkedDraft } from "../channel/send.ts";
import type { Tally } from "./tally.ts";

type Ended = Exclude<Tally, { state: "open" }>;

/** `when`: why it closes, if not because of its votes. */
export function closingOf(proposal: StoredProposal, tally: Ended, when?: "deadline" | "run-end"): Closing {
  const by = tally.by === "closing" ? (when ?? "deadline") : tally.by;
  const tie = tally.state === "resolved" ? tally.tie : null;
  const result = { ...votesOf(proposal), winner: tally.winner, by, tie };
  const status = tally.state;
  return {
    status,
    result,
    announcement: announce(proposal, status, result, proposal.creator),
    isDecision: true,
    ...(proposal.binding && result.winner !== null && effects(proposal, result.winner)),
    ...(when === "run-end" && { atRest: true }),
  };
}

/** A creator who cancels its own proposal gets no message about it. */
export function cancelling(proposal: StoredProposal, by: string): Closing {
  const result = { ...votesOf(proposal), winner: null, by: "cancelled" as const, tie: null };
  const announcement = announce(proposal, "cancelled", result, by === proposal.creator ? null : proposal.creator);
  return { status: "cancelled", result, announcement, isDecision: false };
}

/** Addressed to the creator, who needs the result to continue; everyone else can read it. */
function announce(
  proposal: StoredProposal,
  status: Proposal["status"],
  result: Omit<ProposalResult, "at">,
  creator: string | null,
): Draft {
  const to = creator === null || creator === "system" ? [] : [creator];
  return { ...systemDraft(resultText(proposal, status, result), to), inReplyTo: proposal.id };
}

/** A system message; names in its text are not mentions. */
export function systemDraft(content: string, to: string[]): Draft {
  return { sender: "system", content, kind: "system", mentions: [], all: false, to, private: false, urgent: false };
}

function effects(proposal: Proposal, winner: string): Pick<Closing, "elected" | "send"> {
  const { type, role, gates, creator } = proposal;
  if (type === "election") {
    return { elected: role === "document-owner" ? { documentOwner: winner } : { coordinator: winner } };
  }
  if (type === "assignment") {
    return { send: { ...systemDraft(assignmentText(proposal), [winner]), kind: "message" } };
  }
  if (type !== "approval" || gates === null || winner.toLowerCase() !== "yes") return {};
  const draft = checkedDraft(creator, { content: gates.message, to: gates.to });
  return { send: { ...draft, ...(creator === "user" && { soleAgent: true }) } };
}
