/** Renders approvals and questions: which agent asks, for exactly what, and the command that decides it. */
import type { Approval } from "../../protocol/approval.ts";
import type { EventOf } from "../../protocol/event.ts";
import type { Output, Stream } from "./output.ts";
import { plural } from "../../text/terminal.ts";
import { breakLines, visible } from "../../text/visible.ts";
import { formatDuration } from "./time.ts";

const indent = "  ";
/** Distinguishes the lines of a question from the options and details below it. */
const questionMark = "│ ";
/** How much of a hash a person copies. */
const hashChars = 12;

type Shown = Pick<Approval, "args" | "whole" | "masked" | "cwd" | "why" | "question" | "options">;

/** Prints nothing when nothing waits. */
export function showApprovals(approvals: Approval[], output: Output): void {
  if (approvals.length === 0) return;
  output.print(approvals.map((approval) => renderApproval(approval, output.stdout, Date.now())).join("\n"));
  const [first] = approvals;
  if (first) output.next(...commandFor(first));
}

/** Shows one approval that was read by its id: its arguments are whole. */
export function showWholeApproval(approval: Approval, output: Output): void {
  output.print(renderApproval(approval, output.stdout, Date.now()));
  if (approval.state !== "waiting") return output.note(`it is ${approval.state}`);
  const { id, kind, hash } = approval;
  if (kind === "question" || hash === null) return output.next(...commandFor(approval));
  const command = `agent-worker approve ${id} --hash ${hash.slice(0, hashChars)}`;
  output.next(command, `approve it, or agent-worker deny ${id}`);
}

export function renderApproval(approval: Approval, { style, width }: Stream, now: number): string {
  const { id, target, deadline } = approval;
  const left = style.dim(`${formatDuration(Math.max(0, deadline - now))} left`);
  const title = `${style.bold(style.yellow("?"))} ${style.bold(id)} ${visible(target)} ${titleOf(approval)}  ${left}`;
  return [title, ...requestLines(approval, width - indent.length).map((line) => indent + line)].join("\n");
}

/** `asks to use bash`. */
export function titleOf({ kind, tool }: Pick<Approval, "kind" | "tool">): string {
  return kind === "question" ? "asks" : `asks to use ${visible(tool)}`;
}

/** Everything that a person decides on, complete, in lines of at most `width` columns. */
export function requestLines({ args, masked, cwd, why, question, options }: Shown, width: number): string[] {
  const what =
    question === null
      ? args.split("\n").flatMap((line) => breakLines(visible(line), width))
      : question
          .split(/\r?\n/)
          .flatMap((line) => breakLines(visible(line), width - questionMark.length))
          .map((line) => questionMark + line);
  const details = [
    ...options.map((option, at) => `${at + 1}. ${visible(option)}`),
    ...(cwd === null ? [] : [`in ${visible(cwd)}`]),
    ...(why === null ? [] : [`because ${visible(why)}`]),
    ...(masked === 0 ? [] : [`${plural(masked, "secret is", "secrets are")} shown as [redacted]`]),
  ];
  return [...what, ...details.flatMap((line) => breakLines(line, width))];
}

/** Tells a user who waits for an agent that the agent waits for a decision. */
export function noteApproval({ agent, data }: EventOf<"approval-ask">, output: Output): void {
  const { approval: id, kind, whole } = data;
  output.note(`${visible(agent)} ${titleOf(data)}`);
  for (const line of requestLines(data, output.stderr.width - indent.length)) output.note(indent + line);
  output.next(...commandFor({ id, kind, whole }));
}

/** Arguments that are not shown whole have to be read before they can be approved. */
export function commandFor({
  id,
  kind,
  whole,
}: Pick<Approval, "id" | "kind" | "whole">): [command: string, purpose: string] {
  if (kind === "question") return [`agent-worker answer ${id} "…"`, "answer it"];
  if (!whole) return [`agent-worker pending ${id}`, `read all of it, to approve it; or agent-worker deny ${id}`];
  return [`agent-worker approve ${id}`, `approve it, or agent-worker deny ${id}`];
}
