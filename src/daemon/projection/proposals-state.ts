/** `_state/proposals.json`: what is voted on, and what was decided. */
import { Proposal } from "../../protocol/proposal.ts";
import type { Store } from "../store/store.ts";

/** The newest; older ones are in `decisions.md` among the documents. */
const mostListed = 200;

/** Null while nothing was ever asked. */
export async function renderProposals(store: Store, instance: string): Promise<string | null> {
  const found = await store.proposals(instance, { limit: mostListed });
  if (found.length === 0) return null;
  const proposals = found.map((proposal) => Proposal.parse(proposal));
  return `${JSON.stringify({ proposals }, null, 2)}\n`;
}
