/** `documentOwner: elect`: the team elects the owner of its documents, before tasks and kickoff. */
import { NewProposal } from "../../../protocol/proposal.ts";
import { electKeyword, electsOwner } from "../../../workflow/election.ts";
import type { Agent, Instance, StoredProposal } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import { streamEvents } from "../channel/stream-events.ts";
import { type Proposals, isOwnersElection } from "./proposals.ts";
import { type RetryOptions, retryWhileUnavailable } from "../retry-while-unavailable.ts";

/** Enough for a model's turn; after that, the votes cast decide. */
const electionSeconds = 600;
const newest = 100;

export type ElectionOptions = RetryOptions & {
  /** A store that retries while it is unavailable. */
  store: Store;
  proposals: Proposals;
  /** Stops waiting. */
  signal: AbortSignal;
};

/** Whether the owner still has to be elected. */
export function awaitsOwner({ definition, elected }: Instance, agents: Agent[]): boolean {
  const { context } = definition;
  if (context === false || context.documentOwner !== electKeyword || elected.documentOwner !== null) return false;
  return electsOwner({ context, agents: Object.fromEntries(agents.map(({ name }) => [name, {}])) });
}

/** Starts the election of this run, or finds the one a crash interrupted, and waits for it. False: it was stopped. */
export async function runElection(instance: Instance, options: ElectionOptions): Promise<boolean> {
  const { store, proposals, signal } = options;
  const after = await store.lastEvent();
  // On a retry, finds the proposal if it was stored before the failure.
  const { id } = await retryWhileUnavailable(
    options,
    async () => (await findElection(store, instance)) ?? (await openElection(instance, options)),
  );
  await proposals.attend(instance.id);
  const isOver = async () => (await store.proposal(id))?.status !== "active";
  if (await isOver()) return !signal.aborted;
  for await (const events of streamEvents({ store }, { instance: instance.id, after, live: true, signal })) {
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
  const creator = { instance: instance.id, name: "system" } as const;
  const { proposal } = await options.proposals.open(instance, creator, asked);
  return proposal;
}
