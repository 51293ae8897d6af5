/** `clear`: deletes an instance's messages and documents; its agents stay. */
import { AppError } from "../../protocol/error.ts";
import { globalWorkflow } from "../../protocol/target.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { confirm } from "../command-line/confirm.ts";
import { flag, to } from "../command-line/options.ts";
import { workflowOf, explicitTarget } from "../command-line/target.ts";
import { plural } from "../../text/terminal.ts";

export const command = defineCommand({
  arguments: { target: optional("a workflow (@review) that is not running") },
  options: { to, yes: flag("-y, --yes", "do not ask for confirmation") },
  details:
    "Deletes messages, inboxes, resources and document versions, and removes documents that you have not edited: " +
    "the same as `run --fresh`, without a run. Documents that you have edited stay. `rm` also removes the instance.",
  examples: [
    ["agent-worker clear @review", "clear it after a confirmation"],
    ["agent-worker clear @review:pr-123 --yes", "clear it without a confirmation"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const target = explicitTarget(args.target, options.to, session.tag);
    // Never the default target: the user has to name what is deleted.
    if (!target) throw new AppError("usage", "missing target", { hint: "agent-worker ls lists all workflows" });
    if (target.agent !== undefined) throw sharedHistory(target.agent, target.workflow);
    const targetName = workflowOf(target);
    const client = await session.connect();
    const { messages } = await client.workflow(targetName);
    await confirm(session, `clear ${targetName} and delete ${plural(messages, "message")}?`, options.yes);
    const answer = await client.call("POST /workflows/:target/clear", { target: targetName, body: {} });
    if (output.json) return output.printJson(answer);
    output.print(`cleared ${targetName}: ${plural(answer.messages, "message")} deleted`);
    output.next("agent-worker ls", "see what is left");
  },
});

function sharedHistory(agent: string, workflow: string): AppError {
  return new AppError("usage", `${agent} shares its history with the other agents of @${workflow}`, {
    hint:
      workflow === globalWorkflow
        ? `agent-worker clear @global clears it for all standalone agents; to start over with one, use rm ${agent} and new ${agent}`
        : `agent-worker clear @${workflow} clears it for all of them`,
  });
}
