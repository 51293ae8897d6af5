/** Proposals from the question to the result: asked, voted on, reminded of, and closed by votes, clock or the run's end. */
import { AppError } from "../../../protocol/error.ts";
import { activeProposals } from "../../../protocol/limits.ts";
import type { NewProposal, Proposal } from "../../../protocol/proposal.ts";
import { electKeyword } from "../../../workflow/election.ts";
import type { Closing, Instance, Participant, StoredProposal } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import { cancelling, closingOf, systemWords } from "./closing.ts";
import type { Decisions } from "./decisions.ts";
import type { Clock } from "../clock.ts";
import { askWords, reminderWords, tieWords } from "./proposal-words.ts";
import { completeTerms, deadlineOf, findOption } from "./proposal-terms.ts";
import type { Wake } from "../channel/send.ts";
import { tally } from "./tally.ts";

/** Each time another vote came first, so that somebody has got on. */
const mostTries = 1_000;
const reasonChars = 2_000;

export type ProposalsOptions = {
  store: Store;
  /** The same, but it repeats what it cannot do at once; for what nobody has asked for, and so nobody would repeat. */
  retryingStore: Store;
  clock: Clock;
  report: (trouble: string, error: unknown) => void;
  random: () => number;
  decisions: Decisions;
  wake: Wake;
  /** Something may have been the last that held a run open. */
  settle: (workflow: string) => void;
  /** A proposal that closes by the clock has come. */
  onDeadline: () => void;
};

/** A vote as it was taken; `counted` is false for one that was there already. */
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
    const { store, clock, wake, settle, onDeadline } = this.#options;
    if (instance.definition.context === false) {
      throw new AppError("usage", `${instance.name} has no channel (context: false), so nobody can be asked`);
    }
    const agents = (await store.agents(instance.id)).map(({ name }) => name);
    const terms = completeTerms(asked, agents, nameOf(creator));
    if (terms.role === "document-owner") checkOwnerless(instance, agents.length);
    const deadline = deadlineOf(asked, clock.now());
    const opened = await store.openProposal(creator, { terms, content: askWords(terms), deadline });
    for (const agent of opened.wake) wake(instance.id, agent);
    if (deadline !== null) onDeadline();
    settle(instance.id);
    return opened;
  }

  /** Takes a vote, in place of the voter's earlier one; the vote that decides also closes. */
  async vote(
    voter: Participant,
    { proposal: id, choice, reason }: { proposal: string; choice: string; reason?: string | undefined },
  ): Promise<Voted> {
    const { store } = this.#options;
    for (let tries = 0; tries < mostTries; tries++) {
      const proposal = await this.find(voter.workflow, id);
      const name = nameOf(voter);
      checkEligible(proposal, name);
      const vote = { voter: name, choice: findOption(proposal.options, choice, "choice").id, reason: shorten(reason) };
      const earlier = proposal.votes.find((other) => other.voter === name);
      // A turn that is tried again votes again: nothing may come of it.
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
      this.#follow(changed);
      await this.#askCreator(changed.proposal);
      return { proposal: changed.proposal, counted: true };
    }
    throw new AppError("conflict", "too many votes come in at once", { hint: "vote again" });
  }

  /** Only whoever asked, or the user, takes a question back. */
  async cancel(by: Participant, id: string): Promise<StoredProposal> {
    const { store } = this.#options;
    for (let tries = 0; tries < mostTries; tries++) {
      const proposal = await this.find(by.workflow, id);
      const name = nameOf(by);
      if (proposal.creator === "system") {
        throw new AppError("forbidden", "this election is part of the workflow's start and cannot be cancelled", {
          hint: "vote on it; without votes its first agent is elected",
        });
      }
      if (name !== proposal.creator && name !== "user") {
        throw new AppError("forbidden", `only ${proposal.creator}, who asked, can cancel this proposal`);
      }
      if (proposal.status === "cancelled") return proposal;
      checkActive(proposal);
      const { revision } = proposal;
      const closing = cancelling(proposal, name);
      const changed = await store.closeProposal(by, { proposal: proposal.id, revision, closing });
      if (!changed) continue;
      this.#follow(changed);
      return changed.proposal;
    }
    throw new AppError("conflict", "too many votes come in at once", { hint: "try again" });
  }

  /** A proposal of one instance, or of any. */
  async find(workflow: string | null, id: string): Promise<StoredProposal> {
    const found = await this.#options.store.proposal(id.trim());
    if (found && (workflow === null || found.workflow === workflow)) return found;
    const where = workflow === null ? "" : " here";
    throw new AppError("not-found", `there is no proposal '${id.slice(0, 40).toWellFormed()}'${where}`, {
      hint: "a proposal's id is that of the message that asks",
      actions: [{ do: "list-proposals" }],
    });
  }

  /**
   * Sees to it that votes hold nothing up: where nothing else holds a run open, those who have not voted are reminded
   * once, and after that all is closed by the votes there are. The same for the election that comes before a kickoff.
   */
  async attend(workflow: string): Promise<void> {
    const { retryingStore: store, decisions, settle } = this.#options;
    const instance = await store.instance(workflow);
    if (instance?.state !== "running" || !(await store.atRest(workflow))) return;
    const isEnding = instance.mode === "run" && instance.phase === "working";
    const active = await store.proposals(workflow, { status: "active", limit: activeProposals });
    const held = active.filter((proposal) => isEnding || isOwnersElection(proposal));
    if (held.length === 0) {
      if (!isEnding || (await store.unwrittenDecisions(workflow, 1)).length === 0) return;
      await decisions.write(workflow);
      if (await store.quiescent(workflow)) settle(workflow);
      return;
    }
    const unreminded = held.filter(({ reminded }) => !reminded);
    for (const proposal of unreminded) await this.#remind(proposal);
    if (unreminded.length > 0) return settle(workflow);
    for (const proposal of held) await this.close(proposal, "run-end");
  }

  /** Closes by the votes cast, unless a vote comes first. */
  async close(proposal: StoredProposal, when: "deadline" | "run-end"): Promise<void> {
    const { retryingStore: store } = this.#options;
    const { workflow, id, revision } = proposal;
    const closing = this.#decide(proposal, when);
    if (!closing) return;
    const changed = await store.closeProposal({ workflow, name: "system" }, { proposal: id, revision, closing });
    if (changed) this.#follow(changed);
  }

  #decide(proposal: StoredProposal, when?: "deadline" | "run-end"): Closing | null {
    const result = tally(proposal, { closing: when !== undefined, chance: this.#options.random() });
    return result.state === "open" ? null : closingOf(proposal, result, when);
  }

  /** Nobody waits for a decision to be written down: what is due holds the run open until it is. */
  #follow({ proposal, wake }: { proposal: StoredProposal; wake: string[] }): void {
    const { decisions, settle, report } = this.#options;
    for (const agent of wake) this.#options.wake(proposal.workflow, agent);
    if (proposal.status === "active") return;
    decisions
      .write(proposal.workflow)
      .catch((error: unknown) => report("decisions could not be written down", error))
      .finally(() => settle(proposal.workflow));
  }

  async #remind(proposal: StoredProposal): Promise<void> {
    const voted = new Set(proposal.votes.map(({ voter }) => voter));
    const missing = proposal.voters.filter((voter) => !voted.has(voter));
    if (missing.length > 0) return this.#tell(proposal, reminderWords(proposal), missing);
    await this.#askCreator(proposal);
  }

  /** A tie that waits for its creator is told at once, wherever nothing else would. */
  async #askCreator(proposal: StoredProposal): Promise<void> {
    if (proposal.status !== "active" || proposal.reminded) return;
    const result = tally(proposal, { closing: false, chance: 0 });
    if (result.state !== "open" || result.awaits !== "creator") return;
    await this.#tell(proposal, tieWords(proposal, result.tied), [proposal.creator]);
  }

  async #tell({ workflow, id }: StoredProposal, content: string, to: string[]): Promise<void> {
    const { retryingStore: store } = this.#options;
    const draft = { ...systemWords(content, to), kind: "proposal" as const, inReplyTo: id };
    const reminded = await store.remindVoters(workflow, id, draft);
    for (const agent of reminded?.wake ?? []) this.#options.wake(workflow, agent);
  }
}

/** The election that the kernel itself holds before anything else. */
export function isOwnersElection({ creator, role }: StoredProposal): boolean {
  return creator === "system" && role === "document-owner";
}

/** Voters, and whoever has said that it would decide a tie. */
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
    hint: "ask again with a new proposal, if it should be decided otherwise",
  });
}

/** What a person has written into the file is not voted away; and who is alone owns everything. */
function checkOwnerless({ definition: { context } }: Instance, agents: number): void {
  const owner = context === false ? undefined : context.documentOwner;
  if (owner !== undefined && owner !== electKeyword) {
    throw new AppError("forbidden", `the workflow file says that ${owner} owns the documents`, {
      hint: "elect a coordinator, or use document_suggest",
    });
  }
  if (agents < 2) throw new AppError("usage", "there is nobody else whom the documents could belong to");
}

function nameOf(participant: Participant): string {
  return "turn" in participant ? participant.agent : participant.name;
}

function shorten(reason: string | undefined): string | null {
  const text = reason?.trim().toWellFormed() ?? "";
  return text === "" ? null : text.slice(0, reasonChars).toWellFormed();
}
