/** `pending`: lists approvals and questions that wait for a person. */
import { formatTarget } from "../../protocol/target.ts";
import { showApprovals } from "../render/approval.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { to } from "../command-line/options.ts";
import { explicitTarget } from "../command-line/target.ts";

export const command = defineCommand({
  arguments: { target: optional("an agent or a workflow (default: all)") },
  options: { to },
  details:
    "Lists tool calls that need approval under the agent's `approval` policy, and questions. Secrets are removed from the " +
    "arguments. Arguments are cut after 2,000 characters. --verbose shows everything that is stored: up to 16,000 " +
    "characters; of longer arguments, the beginning, the end and the number of characters left out.",
  examples: [
    ["agent-worker pending", "list everything waiting for you"],
    ["agent-worker pending @review --json", "list those of one workflow, as JSON"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const target = explicitTarget(args.target, options.to, session.tag);
    const client = await session.connect();
    const { approvals } = await client.approvals(target ? { target: formatTarget(target) } : {});
    if (output.json) return output.printJson({ approvals });
    if (approvals.length === 0) return output.note("nothing is waiting for you");
    showApprovals(approvals, output);
  },
});
