/** Proposals for a turn: it opens, votes, reads and cancels as its agent, in its own instance. */
import { activeProposals } from "../../../protocol/limits.ts";
import type { NewProposal, Proposal } from "../../../protocol/proposal.ts";
import type { Claim } from "../../store/data.ts";
import type { Kernel } from "../kernel.ts";
import { instanceOfTurn } from "../operate/find-target.ts";
import { mayVote } from "./proposals.ts";

type Needs = Pick<Kernel, "store" | "proposals">;

/** A proposal, and whether the agent that reads it can vote on it now. */
type ReadProposal = Proposal & { mayVote: boolean };

/** `parked`: voters that cannot run now. `repeated`: an earlier attempt opened the same proposal. */
export async function proposeFromTurn(
  kernel: Needs,
  claim: Claim,
  asked: NewProposal,
): Promise<{ proposal: ReadProposal; parked: string[]; repeated: boolean }> {
  const opened = await kernel.proposals.open(await instanceOfTurn(kernel, claim), claim, asked);
  return { ...opened, proposal: readAs(claim, opened.proposal) };
}

export async function voteFromTurn(
  { proposals }: Pick<Needs, "proposals">,
  claim: Claim,
  vote: { proposal: string; choice: string; reason?: string | undefined },
): Promise<Proposal> {
  return (await proposals.vote(claim, vote)).proposal;
}

export function cancelFromTurn({ proposals }: Pick<Needs, "proposals">, claim: Claim, id: string): Promise<Proposal> {
  return proposals.cancel(claim, id);
}

/** One proposal, or all open ones. */
export async function findProposals({ store, proposals }: Needs, claim: Claim, id?: string): Promise<ReadProposal[]> {
  const found =
    id === undefined
      ? await store.proposals(claim.instance, { status: "active", limit: activeProposals })
      : [await proposals.find(claim.instance, id)];
  return found.map((proposal) => readAs(claim, proposal));
}

function readAs({ agent }: Claim, proposal: Proposal): ReadProposal {
  return { ...proposal, mayVote: proposal.status === "active" && mayVote(proposal, agent) };
}
