/** `proposals`: what teams vote on; listed, shown, asked and cancelled by a person. */
import type { CreateProposalRequestInput } from "../../protocol/http/proposals.ts";
import { AppError } from "../../protocol/error.ts";
import { ElectedRole, ProposalType, Resolution, TieBreaker } from "../../protocol/proposal.ts";
import { formatTarget } from "../../protocol/target.ts";
import { defineCommand, rest } from "../command-line/command.ts";
import { duration, count, flag, text, to } from "../command-line/options.ts";
import { reasonToVote, renderProposal, renderProposals, waitsForUser } from "../render/proposal.ts";
import type { Session } from "../command-line/session.ts";
import { chooseTarget, workflowOf } from "../command-line/target.ts";

/** As the store makes the ids of messages; no agent is called so. */
const proposalId = /^m[0-9a-z]{12}$/;

export const command = defineCommand({
  arguments: { words: rest("[target], a proposal's id, show <id>, cancel <id>, or create [target] <title>") },
  options: {
    to,
    all: flag("--all", "also those that are closed"),
    type: text("--type <type>", `create: ${ProposalType.options.join(", ")}`),
    options: text("--options <ids>", "create: what to choose from, as in red,blue or red=Bright red,blue"),
    description: text("--description <text>", "create: what voters should know"),
    voters: text("--voters <names>", "create: who may vote, as in coder,user; all agents unless said"),
    rule: text("--rule <rule>", `create: ${Resolution.options.join(", ")}`),
    quorum: count("--quorum <n>", "create: so many votes are enough; all voters unless said"),
    tie: text("--tie <how>", `create: ${TieBreaker.options.join(", ")}`),
    timeout: duration("--timeout <duration>", "create: when it closes by the votes cast"),
    fallback: text("--fallback <id>", "create: what holds when the votes decide nothing"),
    role: text("--role <role>", `create, for an election: ${ElectedRole.options.join(", ")}`),
    advisory: flag("--advisory", "create: the result is not carried out"),
  },
  details:
    "A proposal's id is that of the message that asks. Results are written to decisions.md among the documents. " +
    "Nothing that is voted on keeps a run from ending.",
  examples: [
    ["agent-worker proposals @review", "what is open, and what waits for you"],
    ["agent-worker proposals show m4k2v9q0x7ab1", "one of them, with its votes"],
    [
      'agent-worker proposals create @review "Which colour?" --options red,blue --voters all,user',
      "asks the team and you",
    ],
    ["agent-worker proposals cancel m4k2v9q0x7ab1", "takes the question back"],
  ],
  async run({ args, options, session }) {
    const [verb = "", ...words] = args.words;
    if (verb === "create") return await create(session, words, options);
    if (verb === "cancel") return await cancel(session, onlyId(verb, words));
    if (verb === "show") return await show(session, onlyId(verb, words));
    if (proposalId.test(verb) && words.length === 0) return await show(session, verb);
    if (words.length > 0) {
      throw new AppError("usage", `'${verb}' is none of show, create, cancel`, { hint: "agent-worker help proposals" });
    }
    await list(session, verb === "" ? undefined : verb, options);
  },
});

async function list(
  session: Session,
  written: string | undefined,
  options: { to: string | undefined; all: boolean },
): Promise<void> {
  const { output } = session;
  const chosen = await chooseTarget(session, written, options.to);
  const target = workflowOf(chosen);
  const client = await session.connect();
  const { proposals } = await client.call("GET /workflows/:target/proposals", { target: formatTarget(chosen) });
  const shown = options.all ? proposals : proposals.filter(({ status }) => status === "active");
  if (output.json) return output.printJson({ proposals: shown });
  if (shown.length === 0) {
    output.note(`nothing is voted on in ${target}`);
    if (proposals.length > 0) output.next(`agent-worker proposals ${target} --all`, "what was decided");
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
  output.next(`agent-worker proposals ${proposal.target}`, "what is still open");
}

type Asked = {
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

async function create(session: Session, words: string[], asked: Asked): Promise<void> {
  const { output } = session;
  const title = words.at(-1);
  if (title === undefined || words.length > 2) {
    const hint = 'agent-worker proposals create @review "Which colour?" --options red,blue';
    throw new AppError("usage", title === undefined ? "what is to be decided?" : "too many words: quote the title", {
      hint,
    });
  }
  const target = formatTarget(await chooseTarget(session, words.length === 2 ? words[0] : undefined, asked.to));
  const proposal = await (await session.connect()).createProposal(target, requestOf(title, asked));
  if (output.json) return output.printJson(proposal);
  output.print(`${proposal.id} asks ${proposal.voters.join(", ")}`);
  output.next(`agent-worker proposals show ${proposal.id}`, "its votes");
  if (waitsForUser(proposal)) output.next(`agent-worker vote ${proposal.id} <choice>`, "your vote is asked for");
}

function requestOf(title: string, asked: Asked): CreateProposalRequestInput {
  const { description, quorum, fallback, timeout } = asked;
  const options = split(asked.options)?.map((written) => {
    const [id = "", ...label] = written.split("=");
    return label.length === 0 ? id : { id: id.trim(), label: label.join("=").trim() };
  });
  return {
    title,
    ...(asked.type !== undefined && { type: oneOf("--type", ProposalType.options, asked.type) }),
    ...(options && { options }),
    ...(description !== undefined && { description }),
    ...(asked.voters !== undefined && { voters: split(asked.voters) }),
    ...(asked.rule !== undefined && { resolution: oneOf("--rule", Resolution.options, asked.rule) }),
    ...(quorum !== undefined && { quorum }),
    ...(asked.tie !== undefined && { tieBreaker: oneOf("--tie", TieBreaker.options, asked.tie) }),
    ...(timeout !== undefined && { timeoutSeconds: timeout / 1_000 }),
    ...(fallback !== undefined && { fallback }),
    ...(asked.role !== undefined && { role: oneOf("--role", ElectedRole.options, asked.role) }),
    ...(asked.advisory && { binding: false }),
  };
}

function split(names: string | undefined): string[] | undefined {
  return names?.split(",").flatMap((part) => part.trim() || []);
}

function oneOf<Word extends string>(option: string, known: readonly Word[], word: string): Word {
  const found = known.find((each) => each === word);
  if (found !== undefined) return found;
  throw new AppError("usage", `${option}: '${word}' is none of ${known.join(", ")}`);
}

function onlyId(verb: string, [id, ...more]: string[]): string {
  if (id !== undefined && more.length === 0) return id;
  throw new AppError("usage", `which proposal? ${verb} takes one id`, { hint: "agent-worker proposals lists them" });
}
