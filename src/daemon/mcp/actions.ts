/** Tells a model what to do about an error: the hint, then for each action the tool that does it. */
import type { Action } from "../../protocol/action.ts";
import type { AppError } from "../../protocol/error.ts";

/** Left out if the caller does not have the tool. */
type Advice = { tool?: string; text: string };

/** One line, empty when there is nothing to advise. `tools` are the names of the caller's tools. */
export function adviceFor({ hint, actions }: Pick<AppError, "hint" | "actions">, tools: string[]): string {
  const sentences = actions.flatMap((action) => {
    const { tool, text } = describe(action) ?? {};
    return text !== undefined && (tool === undefined || tools.includes(tool)) ? [text] : [];
  });
  return [hint, ...sentences].filter(Boolean).join("; ");
}

function describe(action: Action): Advice | undefined {
  switch (action.do) {
    case "attach":
      return toolAdvice("turn_list", "shows what its agents are doing");
    case "stop":
      return toolAdvice(action.target.startsWith("@") ? "workflow_stop" : "agent_stop", "stops it");
    case "choose-tag":
      return toolAdvice("workflow_start", "with another `tag` starts a second instance");
    case "choose-project":
      return { text: "choose one with `project`" };
    case "list-workflows":
      return toolAdvice("agent_list", "lists the agents of all workflows");
    case "create-agent":
      return toolAdvice("agent_create", action.name === undefined ? "creates one" : `creates ${action.name}`);
    case "read-messages":
      return toolAdvice("channel_read", "shows messages with their ids");
    case "list-approvals":
      return toolAdvice("approval_list", "shows what is waiting for a person");
    case "read-approval":
      return toolAdvice("approval_list", `with \`approval: ${action.approval}\` shows all of it, and its hash`);
    case "answer":
      return toolAdvice("approval_decide", "with an `answer` answers it");
    case "list-proposals":
      return toolAdvice("proposal_status", "lists them");
    case "start":
    case "start-fresh":
    case "remove":
    case "list-tools":
    case "add-tool":
    case "import-tools":
    case "validate":
    case "overwrite":
    case "read-daemon-log":
      return undefined;
    default:
      action satisfies never;
      return undefined;
  }
}

function toolAdvice(tool: string, purpose: string): Advice {
  return { tool, text: `${tool} ${purpose}` };
}
