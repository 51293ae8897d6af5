/** Renders approvals and questions: which agent asks, for what, and the command that decides it. */
import type { Approval } from "../../protocol/approval.ts";
import type { EventOf } from "../../protocol/event.ts";
import type { Output, Stream } from "./output.ts";
import { oneLine, printable, wrap } from "../../text/terminal.ts";
import { formatDuration } from "./time.ts";

/** Limit for the arguments of one call, without --verbose. */
const maxArgsChars = 2_000;
const indent = "  ";

/** Prints nothing when nothing waits. */
export function showApprovals(approvals: Approval[], output: Output): void {
  if (approvals.length === 0) return;
  output.print(
    approvals.map((approval) => renderApproval(approval, output.stdout, Date.now(), output.verbose)).join("\n"),
  );
  const [first] = approvals;
  if (first) output.next(...commandFor(first));
}

export function renderApproval(approval: Approval, { style, width }: Stream, now: number, verbose = false): string {
  const { id, kind, target, tool, args, cwd, why, question, options, deadline } = approval;
  const left = style.dim(`${formatDuration(Math.max(0, deadline - now))} left`);
  const asks = kind === "question" ? "asks" : `asks to use ${printable(tool)}`;
  const what =
    question === null ? (verbose ? printable(args) : oneLine(args, maxArgsChars)) : printable(question).trim();
  const details = [
    ...wrap(what, width - indent.length),
    ...options.map((option, at) => `${at + 1}. ${printable(option)}`),
    ...(cwd === null ? [] : [style.dim(`in ${printable(cwd)}`)]),
    ...(why === null ? [] : wrap(`because ${printable(why).trim()}`, width - indent.length)),
  ];
  const title = `${style.bold(style.yellow("?"))} ${style.bold(id)} ${printable(target)} ${asks}  ${left}`;
  return [title, ...details.map((line) => indent + line)].join("\n");
}

/** Tells a user who waits for an agent that the agent waits for a decision. */
export function noteApproval({ agent, data }: EventOf<"approval-ask">, output: Output): void {
  const { approval, kind, tool, args, question } = data;
  const what =
    question === null ? `to use ${printable(tool)} ${oneLine(args, maxArgsChars)}` : oneLine(question, maxArgsChars);
  output.note(`${printable(agent)} asks${question === null ? "" : ":"} ${what}`);
  output.next(...commandFor({ id: approval, kind }));
}

function commandFor({ id, kind }: Pick<Approval, "id" | "kind">): [command: string, purpose: string] {
  if (kind === "question") return [`agent-worker answer ${id} "…"`, "answer it"];
  return [`agent-worker approve ${id}`, `approve it, or agent-worker deny ${id}`];
}
