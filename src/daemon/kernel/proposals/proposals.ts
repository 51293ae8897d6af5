/** Proposals from question to result: opens them, takes votes, reminds voters, and closes them. */
import { AppError } from "../../../protocol/error.ts";
import { activeProposals } from "../../../protocol/limits.ts";
import type { NewProposal, Proposal } from "../../../protocol/proposal.ts";
import { electKeyword } from "../../../workflow/election.ts";
import type { Closing, Instance, Participant, StoredProposal } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import { cancelling, closingOf, systemDraft } from "./closing.ts";
import type { Decisions } from "./decisions.ts";
import type { Clock } from "../clock.ts";
import type { ChecksDueTimes, ClosesRuns, Wake } from "../ports.ts";
import { askText, reminderText, tieText } from "./proposal-text.ts";
import { completeTerms, deadlineOf, findOption } from "./proposal-terms.ts";
import { tally } from "./tally.ts";

/** A retry means that another vote was counted first, so there is progress. */
const maxTries = 1_000;
const reasonChars = 2_000;

export type ProposalsOptions = {
  store: Store;
  /** The same store, but it retries while the store is unavailable; for work without a caller who could retry. */
  retryingStore: Store;
  clock: Clock;
  report: (problem: string, error: unknown) => void;
  random: () => number;
  decisions: Decisions;
  wake: Wake;
  runs: ClosesRuns;
  deadlines: ChecksDueTimes;
};

/** The result of a vote; `counted` is false if the same vote was already there. */
export type Voted = { proposal: StoredProposal; counted: boolean };

export class Proposals {
  readonly #options: ProposalsOptions;

  constructor(options: ProposalsOptions) {
    this.#options = options;
  }

  async open(
    instance: Instance,
    creator: Participant,
    asked: NewProposal,
  ): Promise<{ proposal: StoredProposal; parked: string[]; repeated: boolean }> {
    const { store, clock, wake, runs, deadlines } = this.#options;
    if (instance.definition.context === false) {
      throw new AppError("usage", `${instance.name} has no channel (context: false), so its agents cannot vote`);
    }
    const agents = (await store.agents(instance.id)).map(({ name }) => name);
    const terms = completeTerms(asked, agents, nameOf(creator));
    if (terms.role === "document-owner") checkOwnerless(instance, agents.length);
    const deadline = deadlineOf(asked, clock.now());
    const opened = await store.openProposal(creator, { terms, content: askText(terms), deadline });
    for (const agent of opened.wake) wake(instance.id, agent);
    if (deadline !== null) deadlines.checkDue();
    runs.closeIfQuiescent(instance.id);
    return opened;
  }

  /** Counts a vote, replacing the voter's earlier one; closes the proposal if this vote decides it. */
  async vote(
    voter: Participant,
    { proposal: id, choice, reason }: { proposal: string; choice: string; reason?: string | undefined },
  ): Promise<Voted> {
    const { store } = this.#options;
    for (let tries = 0; tries < maxTries; tries++) {
      const proposal = await this.find(voter.instance, id);
      const name = nameOf(voter);
      checkEligible(proposal, name);
      const vote = { voter: name, choice: findOption(proposal.options, choice, "choice").id, reason: shorten(reason) };
      const earlier = proposal.votes.find((other) => other.voter === name);
      // A retried turn votes again, which must have no effect.
      if (earlier?.choice === vote.choice && earlier.reason === vote.reason) return { proposal, counted: false };
      checkActive(proposal);
      const votes = [...proposal.votes.filter((other) => other !== earlier), { ...vote, at: 0 }];
      const changed = await store.castVote(voter, {
        ...vote,
        proposal: proposal.id,
        revision: proposal.revision,
        closing: this.#decide({ ...proposal, votes }),
      });
      if (!changed) continue;
      this.#afterChange(changed);
      await this.#askCreator(changed.proposal);
      return { proposal: changed.proposal, counted: true };
    }
    throw new AppError("conflict", "too many votes at once", { hint: "vote again" });
  }

  /** Only the creator or the user can cancel a proposal. */
  async cancel(by: Participant, id: string): Promise<StoredProposal> {
    const { store } = this.#options;
    for (let tries = 0; tries < maxTries; tries++) {
      const proposal = await this.find(by.instance, id);
      const name = nameOf(by);
      if (proposal.creator === "system") {
        throw new AppError("forbidden", "this election is part of the workflow's start and cannot be cancelled", {
          hint: "vote on it; without votes its first agent is elected",
        });
      }
      if (name !== proposal.creator && name !== "user") {
        throw new AppError("forbidden", `only its creator, ${proposal.creator}, can cancel this proposal`);
      }
      if (proposal.status === "cancelled") return proposal;
      checkActive(proposal);
      const { revision } = proposal;
      const closing = cancelling(proposal, name);
      const changed = await store.closeProposal(by, { proposal: proposal.id, revision, closing });
      if (!changed) continue;
      this.#afterChange(changed);
      return changed.proposal;
    }
    throw new AppError("conflict", "too many votes at once", { hint: "try again" });
  }

  /** A proposal of one instance, or of any. */
  async find(instance: string | null, id: string): Promise<StoredProposal> {
    const found = await this.#options.store.proposal(id.trim());
    if (found && (instance === null || found.instance === instance)) return found;
    const where = instance === null ? "" : " here";
    throw new AppError("not-found", `there is no proposal '${id.slice(0, 40).toWellFormed()}'${where}`, {
      hint: "a proposal's id is that of the message that asks",
      actions: [{ do: "list-proposals" }],
    });
  }

  /**
   * Keeps votes from blocking a run: if nothing else keeps the run open, the missing voters are reminded once, and then
   * the votes cast decide. The same applies to the election before the kickoff.
   */
  async attend(instanceId: string): Promise<void> {
    const { retryingStore: store, decisions, runs } = this.#options;
    const instance = await store.instance(instanceId);
    if (instance?.state !== "running" || !(await store.atRest(instanceId))) return;
    const isEnding = instance.mode === "run" && instance.phase === "working";
    const active = await store.proposals(instanceId, { status: "active", limit: activeProposals });
    const blocking = active.filter((proposal) => isEnding || isOwnersElection(proposal));
    if (blocking.length === 0) {
      if (!isEnding || (await store.unwrittenDecisions(instanceId, 1)).length === 0) return;
      await decisions.write(instanceId);
      if (await store.quiescent(instanceId)) runs.closeIfQuiescent(instanceId);
      return;
    }
    const unreminded = blocking.filter(({ reminded }) => !reminded);
    for (const proposal of unreminded) await this.#remind(proposal);
    if (unreminded.length > 0) return runs.closeIfQuiescent(instanceId);
    for (const proposal of blocking) await this.close(proposal, "run-end");
  }

  /** Closes by the votes cast, unless another vote comes in first. */
  async close(proposal: StoredProposal, when: "deadline" | "run-end"): Promise<void> {
    const { retryingStore: store } = this.#options;
    const { instance, id, revision } = proposal;
    const closing = this.#decide(proposal, when);
    if (!closing) return;
    const changed = await store.closeProposal({ instance, name: "system" }, { proposal: id, revision, closing });
    if (changed) this.#afterChange(changed);
  }

  #decide(proposal: StoredProposal, when?: "deadline" | "run-end"): Closing | null {
    const result = tally(proposal, { closing: when !== undefined, chance: this.#options.random() });
    return result.state === "open" ? null : closingOf(proposal, result, when);
  }

  /** Does not wait for the decision to be written: the run stays open until it is. */
  #afterChange({ proposal, wake }: { proposal: StoredProposal; wake: string[] }): void {
    const { decisions, runs, report } = this.#options;
    for (const agent of wake) this.#options.wake(proposal.instance, agent);
    if (proposal.status === "active") return;
    decisions
      .write(proposal.instance)
      .catch((error: unknown) => report("decisions could not be written", error))
      .finally(() => runs.closeIfQuiescent(proposal.instance));
  }

  async #remind(proposal: StoredProposal): Promise<void> {
    const voted = new Set(proposal.votes.map(({ voter }) => voter));
    const missing = proposal.voters.filter((voter) => !voted.has(voter));
    if (missing.length > 0) return this.#tell(proposal, reminderText(proposal), missing);
    await this.#askCreator(proposal);
  }

  /** Tells the creator at once about a tie that only the creator can break. */
  async #askCreator(proposal: StoredProposal): Promise<void> {
    if (proposal.status !== "active" || proposal.reminded) return;
    const result = tally(proposal, { closing: false, chance: 0 });
    if (result.state !== "open" || result.awaits !== "creator") return;
    await this.#tell(proposal, tieText(proposal, result.tied), [proposal.creator]);
  }

  async #tell({ instance, id }: StoredProposal, content: string, to: string[]): Promise<void> {
    const { retryingStore: store } = this.#options;
    const draft = { ...systemDraft(content, to), kind: "proposal" as const, inReplyTo: id };
    const reminded = await store.remindVoters(instance, id, draft);
    for (const agent of reminded?.wake ?? []) this.#options.wake(instance, agent);
  }
}

/** The election that the kernel opens before tasks and kickoff. */
export function isOwnersElection({ creator, role }: StoredProposal): boolean {
  return creator === "system" && role === "document-owner";
}

/** Voters can vote, and so can a creator who breaks ties. */
export function mayVote({ voters, creator, tieBreaker }: Proposal, name: string): boolean {
  return voters.includes(name) || (creator === name && tieBreaker === "creator-decides");
}

function checkEligible(proposal: StoredProposal, name: string): void {
  if (mayVote(proposal, name)) return;
  const { voters } = proposal;
  const shown = voters.length > 10 ? `${voters.slice(0, 10).join(", ")}, …` : voters.join(", ");
  throw new AppError("forbidden", `${name} has no vote on this proposal`, { hint: `voters are ${shown}` });
}

function checkActive({ status, result, title }: StoredProposal): void {
  if (status === "active") return;
  const winner = result?.winner == null ? "" : `: ${result.winner}`;
  throw new AppError("conflict", `the vote on '${title}' is over: it is ${status}${winner}`, {
    hint: "open a new proposal to decide it again",
  });
}

/** A vote cannot override the workflow file, and a single agent needs no owner. */
function checkOwnerless({ definition: { context } }: Instance, agents: number): void {
  const owner = context === false ? undefined : context.documentOwner;
  if (owner !== undefined && owner !== electKeyword) {
    throw new AppError("forbidden", `the workflow file sets ${owner} as the owner of the documents`, {
      hint: "elect a coordinator, or use document_suggest",
    });
  }
  if (agents < 2) throw new AppError("usage", "a single agent owns the documents already");
}

function nameOf(participant: Participant): string {
  return "turn" in participant ? participant.agent : participant.name;
}

function shorten(reason: string | undefined): string | null {
  const text = reason?.trim().toWellFormed() ?? "";
  return text === "" ? null : text.slice(0, reasonChars).toWellFormed();
}
