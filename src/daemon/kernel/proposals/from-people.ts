/** Proposals for people: they open, vote and cancel as the user, and refer to a proposal by its id. */
import type { ProposalResponse } from "../../../protocol/http/proposals.ts";
import { pageSize } from "../../../protocol/limits.ts";
import { type NewProposal, Proposal, type ProposalStatus } from "../../../protocol/proposal.ts";
import { formatTarget } from "../../../protocol/target.ts";
import type { Instance, Participant, StoredProposal } from "../../store/data.ts";
import type { Kernel } from "../kernel.ts";

type Needs = Pick<Kernel, "store" | "proposals">;

/** The proposals of one instance, newest first. */
export async function listProposals(
  { store }: Pick<Needs, "store">,
  instance: Instance,
  status?: ProposalStatus,
): Promise<Proposal[]> {
  const found = await store.proposals(instance.id, { status, limit: pageSize });
  return found.map((each) => Proposal.parse(each));
}

export async function readProposal(kernel: Needs, id: string): Promise<ProposalResponse> {
  return withTarget(kernel, await kernel.proposals.find(null, id));
}

export async function proposeFromPerson(
  kernel: Needs,
  instance: Instance,
  asked: NewProposal,
): Promise<ProposalResponse> {
  const { proposal } = await kernel.proposals.open(instance, userOf(instance.id), asked);
  return withTarget(kernel, proposal);
}

export async function voteFromPerson(
  kernel: Needs,
  id: string,
  vote: { choice: string; reason?: string },
): Promise<ProposalResponse> {
  const found = await kernel.proposals.find(null, id);
  const { proposal } = await kernel.proposals.vote(userOf(found.instance), { ...vote, proposal: found.id });
  return withTarget(kernel, proposal);
}

export async function cancelFromPerson(kernel: Needs, id: string): Promise<ProposalResponse> {
  const found = await kernel.proposals.find(null, id);
  return withTarget(kernel, await kernel.proposals.cancel(userOf(found.instance), found.id));
}

async function withTarget({ store }: Pick<Needs, "store">, proposal: StoredProposal): Promise<ProposalResponse> {
  const instance = await store.instance(proposal.instance);
  const target = instance ? formatTarget({ workflow: instance.name, tag: instance.tag }) : "";
  return { ...Proposal.parse(proposal), target, project: instance?.project ?? "" };
}

function userOf(instance: string): Participant {
  return { instance: instance, name: "user" };
}
