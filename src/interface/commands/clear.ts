/** `clear`: an instance forgets what was said and written; who there is stays. */
import { AppError } from "../../protocol/error.ts";
import { globalWorkflow } from "../../protocol/target.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { confirm } from "../command-line/confirm.ts";
import { flag, to } from "../command-line/options.ts";
import { workflowOf, writtenTarget } from "../command-line/target.ts";
import { plural } from "../../text/terminal.ts";

export const command = defineCommand({
  arguments: { target: optional("a workflow (@review) that does not run") },
  options: { to, yes: flag("-y, --yes", "do not ask") },
  details:
    "Forgets messages, inboxes, resources and versions of documents, and removes the documents that are as the team left them: " +
    "the same as `run --fresh`, without a run. What you have edited stays. `rm` removes the instance as well.",
  examples: [
    ["agent-worker clear @review", "asks first"],
    ["agent-worker clear @review:pr-123 --yes", "for scripts"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const target = writtenTarget(args.target, options.to, session.tag);
    // Never the default: what is cleared is named.
    if (!target) throw new AppError("usage", "which one?", { hint: "agent-worker ls shows what there is" });
    if (target.agent !== undefined) throw notAlone(target.agent, target.workflow);
    const written = workflowOf(target);
    const client = await session.connect();
    const { messages } = await client.workflow(written);
    await confirm(session, `clear ${written}, with ${plural(messages, "message")}, for good?`, options.yes);
    const answer = await client.call("POST /workflows/:target/clear", { target: written, body: {} });
    if (output.json) return output.printJson(answer);
    output.print(`cleared ${written}: ${plural(answer.messages, "message")} forgotten`);
    output.next("agent-worker ls", "what is left");
  },
});

function notAlone(agent: string, workflow: string): AppError {
  return new AppError("usage", `${agent} shares its history with the others of @${workflow}`, {
    hint:
      workflow === globalWorkflow
        ? `agent-worker clear @global clears that of all standalone agents; rm ${agent} and new ${agent} begin anew with one`
        : `agent-worker clear @${workflow} clears it for all`,
  });
}
