/** Renders proposals: one line each, or one in full with its votes. */
import type { Proposal } from "../../protocol/proposal.ts";
import type { Stream } from "./output.ts";
import type { Style } from "./style.ts";
import { renderTable } from "./table.ts";
import { oneLine, printable } from "../../text/terminal.ts";
import { formatAge, formatDuration } from "./time.ts";

/** Whether it is open and the user still has to vote or to decide a tie. */
export function waitsForUser(proposal: Proposal): boolean {
  const { status, creator } = proposal;
  return status === "active" && (missingOf(proposal).includes("user") || (creator === "user" && isTied(proposal)));
}

/** Why it waits for the user. */
export function reasonToVote(proposal: Proposal): string {
  return isTied(proposal) ? "it is tied, and you decide" : "it is waiting for your vote";
}

function missingOf({ voters, votes }: Proposal): string[] {
  return voters.filter((name) => !votes.some(({ voter }) => voter === name));
}

/** Everyone has voted and it is still open: the votes are tied, and the creator decides. */
function isTied(proposal: Proposal): boolean {
  const { status, tieBreaker } = proposal;
  return status === "active" && tieBreaker === "creator-decides" && missingOf(proposal).length === 0;
}

export function renderProposals(proposals: Proposal[], { style, width }: Stream, now: number): string {
  const rows = proposals.map((proposal) => [
    proposal.id,
    stateOf(proposal, style),
    `${proposal.votes.length}/${proposal.voters.length} votes`,
    style.dim(closesAt(proposal, now)),
    oneLine(proposal.title, width) + (waitsForUser(proposal) ? `  ${style.bold(style.yellow("waiting for you"))}` : ""),
  ]);
  return renderTable(rows, { width });
}

export function renderProposal(proposal: Proposal, { style, width }: Stream, now: number): string {
  const { id, type, title, description, creator, options, votes, voters, resolution, quorum, result } = proposal;
  const missing = missingOf(proposal);
  const rows = options.map((option) => {
    const cast = votes.filter(({ choice }) => choice === option.id);
    const who = cast.map(({ voter, reason }) => (reason === null ? voter : `${voter} (${reason})`)).join(", ");
    const label = option.label === option.id ? "" : option.label;
    const mark = result?.winner === option.id ? style.green("✓") : " ";
    return [mark, printable(option.id), `${cast.length}`, oneLine([label, who].filter(Boolean).join("  "), width)];
  });
  const facts = [`${type} by ${creator}`, resolution, `quorum ${quorum} of ${voters.length}`, closesAt(proposal, now)];
  return [
    `${style.bold(oneLine(title, width))}  ${stateOf(proposal, style)}`,
    style.dim(printable([id, ...facts].filter(Boolean).join(" · "))),
    ...(description === null ? [] : ["", printable(description)]),
    "",
    renderTable(rows, { width, indent: "  " }).trimEnd(),
    ...(proposal.status === "active" && missing.length > 0
      ? ["", style.dim(`not voted: ${printable(missing.join(", "))}`)]
      : []),
    ...(isTied(proposal) ? ["", style.yellow(`tie: ${printable(creator)} decides`)] : []),
  ].join("\n");
}

function stateOf({ status, result }: Proposal, style: Style): string {
  const winner = result?.winner == null ? "" : `: ${printable(result.winner)}`;
  switch (status) {
    case "active":
      return style.yellow("open");
    case "resolved":
      return style.green(`decided${winner}`);
    case "expired":
      return style.yellow(winner === "" ? "undecided" : `fallback${winner}`);
    case "cancelled":
      return style.dim("cancelled");
  }
}

function closesAt({ status, deadline, result }: Proposal, now: number): string {
  if (result) return formatAge(result.at, now);
  if (status !== "active" || deadline === null) return "";
  return deadline > now ? `closes in ${formatDuration(deadline - now)}` : "closes now";
}
