/** `proposals`: lists, shows, creates and cancels a team's proposals. */
import type { CreateProposalRequestInput } from "../../protocol/http/proposals.ts";
import { AppError } from "../../protocol/error.ts";
import { ElectedRole, ProposalType, Resolution, TieBreaker } from "../../protocol/proposal.ts";
import { formatTarget } from "../../protocol/target.ts";
import { defineCommand, rest } from "../command-line/command.ts";
import { duration, count, flag, text, to } from "../command-line/options.ts";
import { reasonToVote, renderProposal, renderProposals, waitsForUser } from "../render/proposal.ts";
import type { Session } from "../command-line/session.ts";
import { chooseTarget, workflowOf } from "../command-line/target.ts";

/** The message ids that the store generates. Names of agents do not look like this in practice. */
const proposalId = /^m[0-9a-z]{12}$/;

export const command = defineCommand({
  arguments: { words: rest("[target], a proposal's id, show <id>, cancel <id>, or create [target] <title>") },
  options: {
    to,
    all: flag("--all", "include closed proposals"),
    type: text("--type <type>", `create: ${ProposalType.options.join(", ")}`),
    options: text("--options <ids>", "create: options to choose from, such as red,blue or red=Bright red,blue"),
    description: text("--description <text>", "create: more information for voters"),
    voters: text("--voters <names>", "create: who can vote, such as coder,user (default: all agents)"),
    rule: text("--rule <rule>", `create: how votes decide: ${Resolution.options.join(", ")}`),
    quorum: count("--quorum <n>", "create: number of votes needed (default: all voters)"),
    tie: text("--tie <how>", `create: how to break a tie: ${TieBreaker.options.join(", ")}`),
    timeout: duration("--timeout <duration>", "create: close after this time, with the votes cast"),
    fallback: text("--fallback <id>", "create: option that applies if the votes decide nothing"),
    role: text("--role <role>", `create: role that an election fills: ${ElectedRole.options.join(", ")}`),
    advisory: flag("--advisory", "create: do not apply the result"),
  },
  details:
    "A proposal has the id of its message. Results are written to the document decisions.md. " +
    "An open proposal never keeps a run from ending.",
  examples: [
    ["agent-worker proposals @review", "list open proposals"],
    ["agent-worker proposals show m4k2v9q0x7ab1", "show one proposal and its votes"],
    [
      'agent-worker proposals create @review "Which colour?" --options red,blue --voters all,user',
      "ask the team and yourself",
    ],
    ["agent-worker proposals cancel m4k2v9q0x7ab1", "cancel a proposal"],
  ],
  async run({ args, options, session }) {
    const [subcommand = "", ...words] = args.words;
    if (subcommand === "create") return await create(session, words, options);
    if (subcommand === "cancel") return await cancel(session, onlyId(subcommand, words));
    if (subcommand === "show") return await show(session, onlyId(subcommand, words));
    if (proposalId.test(subcommand) && words.length === 0) return await show(session, subcommand);
    if (words.length > 0) {
      throw new AppError("usage", `unknown subcommand '${subcommand}' for proposals`, {
        hint: "one of show, create, cancel",
      });
    }
    await list(session, subcommand === "" ? undefined : subcommand, options);
  },
});

async function list(
  session: Session,
  argument: string | undefined,
  options: { to: string | undefined; all: boolean },
): Promise<void> {
  const { output } = session;
  const chosen = await chooseTarget(session, argument, options.to);
  const target = workflowOf(chosen);
  const client = await session.connect();
  const { proposals } = await client.call("GET /workflows/:target/proposals", { target: formatTarget(chosen) });
  const shown = options.all ? proposals : proposals.filter(({ status }) => status === "active");
  if (output.json) return output.printJson({ proposals: shown });
  if (shown.length === 0) {
    output.note(`no open proposals in ${target}`);
    if (proposals.length > 0) output.next(`agent-worker proposals ${target} --all`, "see closed proposals");
    return;
  }
  output.print(renderProposals(shown, output.stdout, Date.now()));
  const own = shown.find(waitsForUser);
  if (own) output.next(`agent-worker vote ${own.id} <choice>`, reasonToVote(own));
}

async function show({ connect, output }: Session, id: string): Promise<void> {
  const client = await connect();
  const proposal = await client.call("GET /proposals/:id", { id });
  if (output.json) return output.printJson(proposal);
  output.print(renderProposal(proposal, output.stdout, Date.now()));
  if (waitsForUser(proposal)) output.next(`agent-worker vote ${id} <choice>`, reasonToVote(proposal));
}

async function cancel({ connect, output }: Session, id: string): Promise<void> {
  const client = await connect();
  const proposal = await client.call("DELETE /proposals/:id", { id });
  if (output.json) return output.printJson(proposal);
  output.print(`cancelled ${id}`);
  output.next(`agent-worker proposals ${proposal.target}`, "see open proposals");
}

type CreateOptions = {
  to: string | undefined;
  type: string | undefined;
  options: string | undefined;
  description: string | undefined;
  voters: string | undefined;
  rule: string | undefined;
  quorum: number | undefined;
  tie: string | undefined;
  timeout: number | undefined;
  fallback: string | undefined;
  role: string | undefined;
  advisory: boolean;
};

async function create(session: Session, words: string[], given: CreateOptions): Promise<void> {
  const { output } = session;
  const title = words.at(-1);
  if (title === undefined || words.length > 2) {
    const hint = 'agent-worker proposals create @review "Which colour?" --options red,blue';
    throw new AppError("usage", title === undefined ? "missing title" : "too many arguments: quote the title", {
      hint,
    });
  }
  const target = formatTarget(await chooseTarget(session, words.length === 2 ? words[0] : undefined, given.to));
  const proposal = await (await session.connect()).createProposal(target, requestOf(title, given));
  if (output.json) return output.printJson(proposal);
  output.print(`created ${proposal.id}, to be voted on by ${proposal.voters.join(", ")}`);
  output.next(`agent-worker proposals show ${proposal.id}`, "see its votes");
  if (waitsForUser(proposal)) output.next(`agent-worker vote ${proposal.id} <choice>`, reasonToVote(proposal));
}

function requestOf(title: string, given: CreateOptions): CreateProposalRequestInput {
  const { description, quorum, fallback, timeout } = given;
  const options = split(given.options)?.map((option) => {
    const [id = "", ...label] = option.split("=");
    return label.length === 0 ? id : { id: id.trim(), label: label.join("=").trim() };
  });
  return {
    title,
    ...(given.type !== undefined && { type: oneOf("--type", ProposalType.options, given.type) }),
    ...(options && { options }),
    ...(description !== undefined && { description }),
    ...(given.voters !== undefined && { voters: split(given.voters) }),
    ...(given.rule !== undefined && { resolution: oneOf("--rule", Resolution.options, given.rule) }),
    ...(quorum !== undefined && { quorum }),
    ...(given.tie !== undefined && { tieBreaker: oneOf("--tie", TieBreaker.options, given.tie) }),
    ...(timeout !== undefined && { timeoutSeconds: timeout / 1_000 }),
    ...(fallback !== undefined && { fallback }),
    ...(given.role !== undefined && { role: oneOf("--role", ElectedRole.options, given.role) }),
    ...(given.advisory && { binding: false }),
  };
}

function split(names: string | undefined): string[] | undefined {
  return names?.split(",").flatMap((part) => part.trim() || []);
}

function oneOf<Word extends string>(option: string, known: readonly Word[], word: string): Word {
  const found = known.find((each) => each === word);
  if (found !== undefined) return found;
  throw new AppError("usage", `${option}: '${word}' is not one of ${known.join(", ")}`);
}

function onlyId(subcommand: string, [id, ...more]: string[]): string {
  if (id !== undefined && more.length === 0) return id;
  throw new AppError("usage", `${subcommand} takes one proposal id`, { hint: "agent-worker proposals lists them" });
}
