/** Checks and completes a proposal as a caller writes it: the voters, the options, the resolution. */
import { AppError } from "../../../protocol/error.ts";
import { KiB, optionsPerProposal, proposalSeconds } from "../../../protocol/limits.ts";
import type { NewProposal, ProposalOption, ProposalTerms } from "../../../protocol/proposal.ts";
import { didYouMean, nearest } from "../../../text/suggest.ts";
import { checkedDraft } from "../channel/send.ts";

const titleChars = 200;
const labelChars = 200;
const optionId = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_ .+-]{0,58}[\p{L}\p{N}_+])?$/u;
/** All of it, with the metadata of its options. */
const termsBytes = 64 * KiB;

/** Throws `usage` for what cannot be asked, with what to do instead. */
export function completeTerms(asked: NewProposal, agents: string[], creator: string): ProposalTerms {
  const { type, resolution, binding } = asked;
  const title = asked.title.replaceAll(/\s+/g, " ").trim();
  if (title === "") throw usage("the proposal has no title", "ask something");
  if (title.length > titleChars) {
    throw usage(`the title has ${title.length} characters; at most ${titleChars} are accepted`, "use the description");
  }
  const options = completeOptions(asked, agents);
  const voters = completeVoters(asked.voters ?? agents, agents);
  const terms: ProposalTerms = {
    type,
    title,
    description: asked.description?.trim() || null,
    options,
    voters,
    resolution,
    quorum: checkQuorum(asked.quorum ?? voters.length, voters.length),
    tieBreaker: asked.tieBreaker ?? (resolution === "plurality" ? "first" : null),
    binding,
    role: type === "election" && binding ? (asked.role ?? "coordinator") : null,
    gates: asked.gates ?? null,
    fallback: asked.fallback === undefined ? null : findOption(options, asked.fallback, "fallback").id,
  };
  checkEffects(asked, creator);
  const bytes = Buffer.byteLength(JSON.stringify(terms));
  if (bytes > termsBytes) {
    throw new AppError("too-large", `the proposal has ${bytes} bytes; at most ${termsBytes} are accepted`, {
      hint: "put what is long into a document and name it in the description",
    });
  }
  return terms;
}

/** When it closes by the clock. */
export function deadlineOf({ timeoutSeconds }: Pick<NewProposal, "timeoutSeconds">, now: number): number | null {
  if (timeoutSeconds === undefined) return null;
  if (!(timeoutSeconds > 0)) {
    throw usage(
      "the deadline is in the past: timeoutSeconds must be more than 0",
      "leave it out to wait for all votes",
    );
  }
  if (timeoutSeconds > proposalSeconds) {
    throw usage(`a proposal waits ${proposalSeconds} seconds (30 days) at most`, "give it a shorter timeoutSeconds");
  }
  return now + Math.ceil(timeoutSeconds * 1_000);
}

/** The option that `choice` names, whatever its case; throws with the nearest one. */
export function findOption(options: ProposalOption[], choice: string, what: string): ProposalOption {
  const wanted = choice.trim().toLowerCase();
  const found =
    options.find(({ id }) => id.toLowerCase() === wanted) ??
    options.find(({ label }) => label.toLowerCase() === wanted);
  if (found) return found;
  const ids = options.map(({ id }) => id);
  const shown = JSON.stringify(choice.slice(0, 60));
  throw usage(`${what}: ${shown} is no option${didYouMean(choice, ids)}`, `the options are ${list(ids)}`);
}

function completeOptions({ type, options: given }: NewProposal, agents: string[]): ProposalOption[] {
  const isAboutAgents = type === "election" || type === "assignment";
  const defaults = isAboutAgents ? agents : type === "approval" ? ["yes", "no"] : [];
  const options = (given ?? defaults).map((option) => {
    const { id, label, metadata } = typeof option === "string" ? { id: option } : { label: undefined, ...option };
    return { id: id.trim(), label: label?.trim() || id.trim(), ...(metadata && { metadata }) };
  });
  if (options.length < 2) {
    const count = options.length === 0 ? "no options" : "only one option";
    throw usage(`the proposal has ${count}`, "a vote needs two options or more, each with an id of its own");
  }
  if (given && given.length > optionsPerProposal) {
    throw usage(
      `the proposal has ${given.length} options; at most ${optionsPerProposal} are accepted`,
      "ask in two rounds",
    );
  }
  const known = new Set<string>();
  for (const { id, label } of options) {
    if (!optionId.test(id)) {
      const hint = "an id has up to 60 letters, digits, spaces and _ . + -; the label may say more";
      throw usage(`${JSON.stringify(id.slice(0, 60))} cannot be an option's id`, hint);
    }
    if (label.length > labelChars) throw usage(`the label of '${id}' is too long`, `at most ${labelChars} characters`);
    if (known.has(id.toLowerCase())) throw usage(`two options are called '${id}'`, "give each an id of its own");
    known.add(id.toLowerCase());
  }
  if (type === "approval" && !(known.has("yes") && known.has("no"))) {
    throw usage("an approval needs the options yes and no", "leave them out, or ask for a decision");
  }
  return isAboutAgents
    ? options.map((option) => ({ ...option, id: findAgent(option.id, agents, `option '${option.id}'`) }))
    : options;
}

function completeVoters(given: string[], agents: string[]): string[] {
  const voters = new Set<string>();
  for (const name of given) {
    if (name.toLowerCase() === "user") voters.add("user");
    else if (name.toLowerCase() === "all") for (const agent of agents) voters.add(agent);
    else voters.add(findAgent(name.replace(/^@/, ""), agents, "voters"));
  }
  if (voters.size === 0) throw usage("nobody may vote on it", "leave `voters` out, and all agents may");
  return [...voters];
}

function findAgent(name: string, agents: string[], what: string): string {
  const found = agents.find((agent) => agent.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  const [close] = nearest(name, agents, 1);
  throw usage(
    `${what}: no agent named '${name.slice(0, 60)}'`,
    close ? `did you mean ${close}?` : `there are ${list(agents)}`,
  );
}

function checkQuorum(quorum: number, voters: number): number {
  if (Number.isInteger(quorum) && quorum >= 1 && quorum <= voters) return quorum;
  throw usage(`a quorum of ${quorum} cannot be reached by ${voters} voters`, `give a whole number from 1 to ${voters}`);
}

/** What a type cannot bring about is refused rather than forgotten. */
function checkEffects({ type, binding, role, gates }: NewProposal, creator: string): void {
  if (role !== undefined && (type !== "election" || !binding)) throw usage("only a binding election gives a role");
  if (gates === undefined) return;
  if (type !== "approval" || !binding) throw usage("only a binding approval gates a message");
  checkedDraft(creator, { content: gates.message, to: gates.to });
}

function list(names: string[]): string {
  return names.length > 10 ? `${names.slice(0, 10).join(", ")}, …` : names.join(", ");
}

function usage(message: string, hint?: string): AppError {
  return new AppError("usage", message, { hint });
}
