/** `_state/proposals.json`: open and decided proposals. */
import { Proposal } from "../../protocol/proposal.ts";
import type { Store } from "../store/store.ts";

/** Only the newest are listed; older decisions are in the document `decisions.md`. */
const maxListed = 200;

/** Null until the first proposal. */
export async function renderProposals(store: Store, instance: string): Promise<string | null> {
  const found = await store.proposals(instance, { limit: maxListed });
  if (found.length === 0) return null;
  const proposals = found.map((proposal) => Proposal.parse(proposal));
  return `${JSON.stringify({ proposals }, null, 2)}\n`;
}
