/** Checks a new proposal and fills in its defaults: voters, options, resolution. */
import { AppError } from "../../../protocol/error.ts";
import { KiB, optionsPerProposal, proposalSeconds } from "../../../protocol/limits.ts";
import type { NewProposal, ProposalOption, ProposalTerms } from "../../../protocol/proposal.ts";
import { oneLine } from "../../../text/frame.ts";
import { didYouMean, nearest } from "../../../text/suggest.ts";
import { checkedDraft } from "../channel/send.ts";

const titleChars = 200;
const labelChars = 200;
const optionId = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_ .+-]{0,58}[\p{L}\p{N}_+])?$/u;
/** Size of the whole proposal, with the metadata of its options. */
const termsBytes = 64 * KiB;

/** Throws `usage` for an invalid proposal, with a hint. */
export function completeTerms(asked: NewProposal, agents: string[], creator: string): ProposalTerms {
  const { type, resolution, binding } = asked;
  const title = oneLine(asked.title);
  if (title === "") throw usage("the proposal has no title", "add a title");
  if (title.length > titleChars) {
    throw usage(`the title is ${title.length} characters long; the limit is ${titleChars}`, "use the description");
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
    throw new AppError("too-large", `the proposal is ${bytes} bytes long; the limit is ${termsBytes}`, {
      hint: "put long text into a document and mention it in the description",
    });
  }
  return terms;
}

/** When the proposal closes by itself; null for no deadline. */
export function deadlineOf({ timeoutSeconds }: Pick<NewProposal, "timeoutSeconds">, now: number): number | null {
  if (timeoutSeconds === undefined) return null;
  if (!(timeoutSeconds > 0)) {
    throw usage("the deadline is in the past: timeoutSeconds must be more than 0", "omit it to wait for all votes");
  }
  if (timeoutSeconds > proposalSeconds) {
    throw usage(`timeoutSeconds can be at most ${proposalSeconds} (30 days)`, "give it a shorter timeoutSeconds");
  }
  return now + Math.ceil(timeoutSeconds * 1_000);
}

/** Finds an option by id or label, ignoring case; the error suggests the nearest one. */
export function findOption(options: ProposalOption[], choice: string, what: string): ProposalOption {
  const wanted = choice.trim().toLowerCase();
  const found =
    options.find(({ id }) => id.toLowerCase() === wanted) ??
    options.find(({ label }) => label.toLowerCase() === wanted);
  if (found) return found;
  const ids = options.map(({ id }) => id);
  const shown = JSON.stringify(choice.slice(0, 60));
  throw usage(`${what}: ${shown} is not an option${didYouMean(choice, ids)}`, `the options are ${list(ids)}`);
}

function completeOptions({ type, options: given }: NewProposal, agents: string[]): ProposalOption[] {
  const isAboutAgents = type === "election" || type === "assignment";
  const defaults = isAboutAgents ? agents : type === "approval" ? ["yes", "no"] : [];
  const options = (given ?? defaults).map((option) => {
    const { id, label, metadata } = typeof option === "string" ? { id: option } : { label: undefined, ...option };
    return { id: id.trim(), label: oneLine(label ?? "") || id.trim(), ...(metadata && { metadata }) };
  });
  if (options.length < 2) {
    const count = options.length === 0 ? "no options" : "only one option";
    throw usage(`the proposal has ${count}`, "a vote needs at least two options, each with a unique id");
  }
  if (given && given.length > optionsPerProposal) {
    throw usage(`the proposal has ${given.length} options; the limit is ${optionsPerProposal}`, "ask in two rounds");
  }
  const known = new Set<string>();
  for (const { id, label } of options) {
    if (!optionId.test(id)) {
      const hint = "an id has up to 60 letters, digits, spaces and _ . + -; put longer text into the label";
      throw usage(`${JSON.stringify(id.slice(0, 60))} cannot be an option's id`, hint);
    }
    if (label.length > labelChars) throw usage(`the label of '${id}' is too long`, `at most ${labelChars} characters`);
    if (known.has(id.toLowerCase())) throw usage(`two options have the id '${id}'`, "give each a unique id");
    known.add(id.toLowerCase());
  }
  if (type === "approval" && !(known.has("yes") && known.has("no"))) {
    throw usage("an approval needs the options yes and no", "omit `options`, or use the type decision");
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
  if (voters.size === 0) throw usage("the proposal has no voters", "omit `voters` to let all agents vote");
  return [...voters];
}

function findAgent(name: string, agents: string[], what: string): string {
  const found = agents.find((agent) => agent.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  const [close] = nearest(name, agents, 1);
  throw usage(
    `${what}: no agent named '${name.slice(0, 60)}'`,
    close ? `did you mean ${close}?` : `available: ${list(agents)}`,
  );
}

function checkQuorum(quorum: number, voters: number): number {
  if (Number.isInteger(quorum) && quorum >= 1 && quorum <= voters) return quorum;
  throw usage(`a quorum of ${quorum} cannot be reached by ${voters} voters`, `give a whole number from 1 to ${voters}`);
}

/** Rejects effects that the type of proposal does not have, instead of ignoring them. */
function checkEffects({ type, binding, role, gates }: NewProposal, creator: string): void {
  if (role !== undefined && (type !== "election" || !binding)) throw usage("only a binding election can have a role");
  if (gates === undefined) return;
  if (type !== "approval" || !binding) throw usage("only a binding approval can gate a message");
  checkedDraft(creator, { content: gates.message, to: gates.to });
}

function list(names: string[]): string {
  return names.length > 10 ? `${names.slice(0, 10).join(", ")}, …` : names.join(", ");
}

function usage(message: string, hint?: string): AppError {
  return new AppError("usage", message, { hint });
}
