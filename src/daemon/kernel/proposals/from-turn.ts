/** Proposals for a turn: it opens, votes, reads and cancels as its agent, in its own instance. */
import { activeProposals } from "../../../protocol/limits.ts";
import type { NewProposal, Proposal } from "../../../protocol/proposal.ts";
import type { Claim } from "../../store/data.ts";
import type { Kernel } from "../kernel.ts";
import { instanceOfTurn } from "../operate/find-target.ts";

type Needs = Pick<Kernel, "store" | "proposals">;

/** `parked`: voters that cannot run now. `repeated`: an earlier attempt opened the same proposal. */
export async function proposeFromTurn(
  kernel: Needs,
  claim: Claim,
  asked: NewProposal,
): Promise<{ proposal: Proposal; parked: string[]; repeated: boolean }> {
  return kernel.proposals.open(await instanceOfTurn(kernel, claim), claim, asked);
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
export async function findProposals({ store, proposals }: Needs, claim: Claim, id?: string): Promise<Proposal[]> {
  if (id !== undefined) return [await proposals.find(claim.instance, id)];
  return store.proposals(claim.instance, { status: "active", limit: activeProposals });
}
