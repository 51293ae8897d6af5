/** What agents ask people: to approve a tool call, according to the agent's approval policy, or to answer a question. */
import { z } from "zod";
import type { Approval } from "../../../protocol/approval.ts";
import { hashArguments } from "../../../system/canonical-json.ts";
import { approvalArgsChars } from "../../../protocol/limits.ts";
import { oneLine } from "../../../text/frame.ts";
import { createRedactor, type Redactor } from "../../../text/redact.ts";
import { decideCall } from "../../../workflow/approval-policy.ts";
import type { Agent, Claim } from "../../store/data.ts";
import type { Kernel } from "../kernel.ts";
import { problemsOf } from "./check-arguments.ts";

export type CallRequest = {
  tool: string;
  args: Record<string, unknown>;
  /** The caller's id for this call: asking again with it returns the same decision. */
  request: string | null;
  cwd: string | null;
  why: string | null;
  /** JSON Schema of `args`, if the caller knows it. */
  inputSchema: Record<string, unknown> | null;
  /** The caller has applied the policy with symbolic links resolved, and the result is `ask`. */
  ask?: boolean;
};

/** `args` are the arguments to call the tool with; `hash` is their hash. */
export type CallDecision =
  | { allowed: true; args: Record<string, unknown>; hash: string; approval: Approval | null }
  | { allowed: false; message: string; approval: Approval | null };

const Schema = z.record(z.string(), z.unknown());
/** How much is shown of the message that the turn works on. */
const occasionChars = 200;

type Asking = Pick<Kernel, "store" | "environments" | "approvals">;

/** Resolves with the decision: at once unless the agent's approval policy says `ask`. */
export async function approveCall(kernel: Asking, claim: Claim, call: CallRequest): Promise<CallDecision> {
  const { tool, args, request, inputSchema, cwd, why, ask } = call;
  const agent = await agentOf(kernel, claim);
  const hash = hashArguments(args);
  const mode = ask ? "ask" : decideCall(agent.definition.approval, { tool, args });
  if (mode === "auto") return { allowed: true, args, hash, approval: null };
  if (mode === "deny") {
    return {
      allowed: false,
      message: `${tool} is denied: the approval policy of ${claim.agent} forbids this call`,
      approval: null,
    };
  }
  const problem = problemWith(call);
  if (problem !== undefined) return { allowed: false, message: `${tool} is denied: ${problem}`, approval: null };
  const redactor = redactorOf(kernel, claim, agent);
  const mask = createMask(redactor);
  const approval = await kernel.approvals.ask(claim, {
    kind: "tool",
    request,
    tool: mask.text(tool),
    args: mask.text(JSON.stringify(args)),
    hash,
    inputSchema: inputSchema && Schema.parse(redactor.all(inputSchema)),
    cwd: cwd === null ? null : mask.text(cwd),
    why: mask.text(why ?? (await occasionOf(kernel, claim))),
    question: null,
    options: [],
    masked: mask.count(),
    timeoutMs: agent.definition.approval_timeout,
  });
  if (approval.state !== "approved") return { allowed: false, message: denial(approval), approval };
  return { allowed: true, args: approval.edited ?? args, hash: approval.approvedHash ?? "", approval };
}

/** Resolves with the decision and the text for the agent: the answer, or the reason why there is none. */
export async function askQuestion(
  kernel: Asking,
  claim: Claim,
  { question, options }: { question: string; options: string[] },
): Promise<{ approval: Approval; text: string }> {
  const agent = await agentOf(kernel, claim);
  const mask = createMask(redactorOf(kernel, claim, agent));
  const shown = { question: mask.text(question), options: options.map(mask.text) };
  const approval = await kernel.approvals.ask(claim, {
    kind: "question",
    request: null,
    tool: "ask_user",
    args: JSON.stringify(shown),
    masked: mask.count(),
    hash: hashArguments({ question, options }),
    inputSchema: null,
    cwd: null,
    why: null,
    ...shown,
    timeoutMs: agent.definition.approval_timeout,
  });
  return { approval, text: approval.answer ?? denial(approval) };
}

/** The text that tells the agent why a call was not approved or a question not answered. */
function denial({ kind, tool, reason, decidedBy }: Approval): string {
  const what = kind === "question" ? "The question was not answered" : `${tool} was denied`;
  const who = decidedBy === "user" ? " by the user" : "";
  return `${what}${who}${reason === null ? "" : `: ${reason}`}. Do not ask again; continue without it, or say what you need.`;
}

async function agentOf({ store }: Asking, { instance, agent: name }: Claim): Promise<Agent> {
  const agent = (await store.agents(instance)).find((each) => each.name === name);
  if (!agent) throw new Error(`${name} was removed while its turn was asking`);
  return agent;
}

/** What a turn is working on, when it gives no reason: its status, or the message it handles. */
async function occasionOf({ store }: Asking, { instance, agent }: Claim): Promise<string> {
  const status = (await store.agentInfos(instance)).find(({ name }) => name === agent)?.status;
  if (status) return `its status is: ${oneLine(status)}`;
  const [claimed] = await store.deliveries(instance, { agent, states: ["claimed"], limit: 1 });
  if (!claimed) return "it is working on messages that it has already acknowledged";
  const words = oneLine(claimed.message.content);
  return `${claimed.message.sender} wrote: ${words.slice(0, occasionChars)}${words.length > occasionChars ? "…" : ""}`;
}

function redactorOf({ environments }: Asking, { instance }: Claim, { definition }: Agent): Redactor {
  return createRedactor([], { ...environments.of(instance), ...definition.env });
}

/** Hides known secrets and nothing else: any other rule could be used to hide a part of the call. */
function createMask(redactor: Redactor): { text: (text: string) => string; count: () => number } {
  let total = 0;
  return {
    text(given) {
      const { text, count } = redactor.mask(given);
      total += count;
      return text;
    },
    count: () => total,
  };
}

/** Why a person is not even asked about a call; undefined if nothing is wrong with it. */
function problemWith({ args, inputSchema }: CallRequest): string | undefined {
  const { length } = JSON.stringify(args);
  if (length > approvalArgsChars) {
    return `the arguments have ${length} characters, and a person can be asked about at most ${approvalArgsChars}; make several smaller calls`;
  }
  const problems = problemsOf(args, inputSchema ?? {});
  return problems.length > 0 ? `the arguments do not fit: ${problems.join("; ")}` : undefined;
}
