/** Proposals for tests of the store, as the kernel would have completed and decided them. */
import type { Closing, OpenProposal, StoredProposal } from "../../../src/daemon/store/data.ts";
import type { ProposalTerms } from "../../../src/protocol/proposal.ts";
import { draft } from "./team.ts";

export function terms(more: Partial<ProposalTerms> = {}): ProposalTerms {
  return {
    type: "decision",
    title: "Which colour?",
    description: null,
    options: [
      { id: "red", label: "red" },
      { id: "blue", label: "Deep blue", metadata: { hue: 240 } },
    ],
    voters: ["alice", "bob", "carol"],
    resolution: "plurality",
    quorum: 3,
    tieBreaker: "first",
    binding: true,
    role: null,
    gates: null,
    fallback: null,
    ...more,
  };
}

export function asked(more: Partial<ProposalTerms> = {}, deadline: number | null = null): OpenProposal {
  return { terms: terms(more), content: "Which colour? red or blue", deadline };
}

export function decided(winner: string | null = "blue", more: Partial<Closing> = {}): Closing {
  return {
    status: "resolved",
    result: { winner, votes: {}, counts: {}, by: "quorum", tie: null },
    announcement: draft("system", `decided: ${winner}`, { kind: "system" }),
    isDecision: true,
    ...more,
  };
}

export function voteFor(
  { id, revision }: Pick<StoredProposal, "id" | "revision">,
  choice: string,
  closing: Closing | null = null,
) {
  return { proposal: id, choice, reason: null, revision, closing };
}
