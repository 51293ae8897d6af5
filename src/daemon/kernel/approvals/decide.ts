/** Decisions by people: the first one counts, and it applies only to the exact arguments it was made for. */
import type { Action } from "../../../protocol/action.ts";
import type { Approval } from "../../../protocol/approval.ts";
import { hashArguments } from "../../../system/canonical-json.ts";
import { AppError } from "../../../protocol/error.ts";
import type { DecideRequest } from "../../../protocol/http/approvals.ts";
import { isShownWhole } from "../../../text/shown-arguments.ts";
import { redacted } from "../../../text/redact.ts";
import type { ApprovalDecision } from "../../store/data.ts";
import { problemsOf } from "./check-arguments.ts";
import { readApproval, unknownApproval } from "./list-approvals.ts";
import type { Kernel } from "../kernel.ts";

const list: Action = { do: "list-approvals" };

export async function decideApproval(
  { store, approvals }: Pick<Kernel, "store" | "approvals">,
  id: string,
  request: DecideRequest,
): Promise<Approval> {
  const found = await readApproval({ store }, id);
  const answer = await store.decideApproval(id, decisionOn(found, request));
  if (!answer) throw unknownApproval(id);
  if (!answer.decided) throw decidedBefore(answer.approval);
  approvals.resolve(answer.approval);
  return answer.approval;
}

/** Throws `usage` when the decision does not fit what was asked. */
export function decisionOn(approval: Approval, request: DecideRequest): ApprovalDecision {
  const { decision, reason, args, answer } = request;
  const isQuestion = approval.kind === "question";
  const by = "user";
  if (decision === "deny") {
    if (args !== undefined || answer !== undefined) throw misfit("a denial takes neither arguments nor an answer");
    return { state: "denied", by, reason: reason ?? null };
  }
  if (isQuestion) {
    if (args !== undefined) throw misfit("a question has no arguments to change");
    if (answer === undefined || answer.trim() === "") {
      throw misfit(`${approval.id} is a question`, { actions: [{ do: "answer", approval: approval.id }] });
    }
    return { state: "answered", by, reason: reason ?? null, answer: chosen(answer.trim(), approval.options) };
  }
  if (answer !== undefined) throw misfit(`${approval.id} is an approval, not a question`);
  checkHash(approval, request);
  if (args === undefined) return { state: "approved", by, reason: reason ?? null };
  if (JSON.stringify(args).includes(redacted)) {
    throw misfit(`the arguments contain ${redacted}, which stands for a hidden secret`, {
      hint: "write the real value",
    });
  }
  // Checked before the decision is stored: after that it cannot be corrected.
  const problems = problemsOf(args, approval.inputSchema ?? {});
  if (problems.length > 0) {
    throw misfit(`the arguments do not fit ${approval.tool}: ${problems.join("; ")}`, {
      hint: `${approval.id} is still waiting: correct the arguments, and give all of them`,
    });
  }
  const hash = hashArguments(args);
  return { state: "approved", by, reason: reason ?? null, ...(hash !== approval.hash && { edited: { args, hash } }) };
}

/** Only reading the whole arguments gives their hash, so without it a person may not have seen what they approve. */
function checkHash(approval: Approval, { args, hash }: DecideRequest): void {
  const actions: Action[] = [{ do: "read-approval", approval: approval.id }];
  if (hash !== undefined && !approval.hash?.startsWith(hash)) {
    throw misfit(`the hash ${hash} is that of other arguments`, { actions });
  }
  if (hash === undefined && args === undefined && !isShownWhole(approval.args)) {
    const { length } = approval.args;
    throw misfit(`lists do not show all ${length} characters of these arguments: approve them with their hash`, {
      actions,
    });
  }
}

/** An option can be chosen by number or by text, ignoring case; any other text is the answer itself. */
function chosen(answer: string, options: string[]): string {
  const number = /^\d{1,2}$/.test(answer) ? Number(answer) - 1 : -1;
  const named = options.find((option) => option.toLowerCase() === answer.toLowerCase());
  return named ?? options[number] ?? answer;
}

function misfit(message: string, advice: { hint?: string; actions?: Action[] } = { actions: [list] }): AppError {
  return new AppError("usage", message, advice);
}

function decidedBefore({ id, state, decidedBy, reason }: Approval): AppError {
  const how = { user: "by someone else", deadline: "by its deadline", nobody: "at once", turn: "with its turn" };
  const why = reason === null ? "" : `: ${reason}`;
  return new AppError("conflict", `${id} is already ${state}, ${how[decidedBy ?? "user"]}${why}`, {
    actions: [list],
  });
}
