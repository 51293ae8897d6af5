/** `documentOwner: elect`: the team votes on who owns its documents, before tasks and kickoff. */
import { NewProposal } from "../../../protocol/proposal.ts";
import { electKeyword, electsOwner } from "../../../workflow/election.ts";
import type { Agent, Instance, StoredProposal } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import { followEvents } from "../channel/follow.ts";
import { type Proposals, isOwnersElection } from "./proposals.ts";
import { type RetryOptions, retryWhileUnavailable } from "../retry-while-unavailable.ts";

/** Enough for a model's turn; after that, those who have voted decide. */
const electionSeconds = 600;
const newest = 100;

export type ElectionOptions = RetryOptions & {
  /** One that repeats what it cannot do at once. */
  store: Store;
  proposals: Proposals;
  /** Ends the waiting. */
  signal: AbortSignal;
};

/** Whether an owner is still to be elected. */
export function awaitsOwner({ definition, elected }: Instance, agents: Agent[]): boolean {
  const { context } = definition;
  if (context === false || context.documentOwner !== electKeyword || elected.documentOwner !== null) return false;
  return electsOwner({ context, agents: Object.fromEntries(agents.map(({ name }) => [name, {}])) });
}

/** Waits for the election of this run, which is begun unless a crash has cut it off. False: it was stopped. */
export async function holdElection(instance: Instance, options: ElectionOptions): Promise<boolean> {
  const { store, proposals, signal } = options;
  const after = await store.lastEvent();
  // Found again where the proposal was stored and something after it failed.
  const { id } = await retryWhileUnavailable(
    options,
    async () => (await findElection(store, instance)) ?? (await openElection(instance, options)),
  );
  await proposals.attend(instance.id);
  const isOver = async () => (await store.proposal(id))?.status !== "active";
  if (await isOver()) return !signal.aborted;
  for await (const events of followEvents({ store }, { workflow: instance.id, after, live: true, signal })) {
    if (events.some((event) => event.type === "proposal-close" && event.message === id)) return !signal.aborted;
  }
  return false;
}

async function findElection(store: Store, { id, run }: Instance): Promise<StoredProposal | undefined> {
  const active = await store.proposals(id, { status: "active", limit: newest });
  return active.find((proposal) => proposal.run === run && isOwnersElection(proposal));
}

async function openElection(instance: Instance, options: ElectionOptions): Promise<StoredProposal> {
  const [first] = await options.store.agents(instance.id);
  const asked = NewProposal.parse({
    type: "election",
    title: "Who owns the documents?",
    description: "Only the owner writes them; the others suggest changes with document_suggest.",
    role: "document-owner",
    timeoutSeconds: electionSeconds,
    ...(first && { fallback: first.name }),
  });
  const creator = { workflow: instance.id, name: "system" } as const;
  const { proposal } = await options.proposals.open(instance, creator, asked);
  return proposal;
}
