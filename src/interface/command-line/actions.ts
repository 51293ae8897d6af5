/** Tells a person on the command line what to do about an error: the hint, then a command for each action. */
import type { Action } from "../../protocol/action.ts";
import type { AppError } from "../../protocol/error.ts";

/** One line, empty when there is nothing to advise. */
export function adviceFor({ hint, actions }: Pick<AppError, "hint" | "actions">): string {
  return [hint, ...actions.map(sentenceFor)].filter(Boolean).join("; ");
}

function sentenceFor(action: Action): string | undefined {
  switch (action.do) {
    case "attach":
      return `agent-worker attach ${action.target} shows it live`;
    case "start":
      return `agent-worker start ${action.target} starts it`;
    case "start-fresh":
      return "run or start it with --fresh to start over";
    case "stop":
      return `agent-worker stop ${action.target} stops it`;
    case "remove":
      return `agent-worker rm ${action.target} removes it`;
    case "choose-tag":
      return "--tag <tag> starts another instance";
    case "choose-project":
      return "choose one with --project <folder>";
    case "list-workflows":
      return "agent-worker ls lists workflows and agents";
    case "create-agent":
      return action.name === undefined
        ? "agent-worker new <name> creates one"
        : `agent-worker new ${action.name} creates it`;
    case "list-tools":
      return `agent-worker tool list ${action.target} shows its tools, and where each comes from`;
    case "add-tool":
      return `agent-worker tool add ${action.target} ${action.tool} gives it that tool`;
    case "import-tools":
      return `agent-worker tool import ${action.target} <file> adds the tools of a module`;
    case "read-messages":
      return "agent-worker peek shows messages with their ids";
    case "list-approvals":
      return "agent-worker pending shows what is waiting for you";
    case "read-approval":
      return `agent-worker pending ${action.approval} shows all of it, and how to approve it`;
    case "answer":
      return `agent-worker answer ${action.approval} "…" answers it`;
    case "list-proposals":
      return "agent-worker proposals lists them";
    case "validate":
      return "agent-worker validate <file> shows every error";
    case "overwrite":
      return "--force replaces it";
    case "read-daemon-log":
      return "agent-worker daemon logs shows the details";
    default:
      // A daemon of a later version may send others.
      action satisfies never;
      return undefined;
  }
}
