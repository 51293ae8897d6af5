/** `pending`: lists approvals and questions that wait for a person, or shows one of them whole. */
import { formatTarget } from "../../protocol/target.ts";
import { showApprovals, showWholeApproval } from "../render/approval.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { to } from "../command-line/options.ts";
import { explicitTarget } from "../command-line/target.ts";

/** An agent with such a name can be given as `name@workflow`. */
const approvalId = /^a[0-9a-z]{12}$/;

export const command = defineCommand({
  arguments: { target: optional("an agent, a workflow or the id of an approval (default: all)") },
  options: { to },
  details:
    "Lists tool calls that need approval under the agent's `approval` policy, and questions. Everything is shown exactly: " +
    "characters that cannot be seen are escaped, as in \\u{202e}, and only known secrets are shown as [redacted]. Of arguments " +
    "with more than 2,000 characters, the list shows the beginning and the end. With an id, all of one approval is shown, and " +
    "the command that approves it.",
  examples: [
    ["agent-worker pending", "list everything waiting for you"],
    ["agent-worker pending a4k2v9q0x7ab1", "show all of one approval"],
    ["agent-worker pending @review --json", "list those of one workflow, as JSON"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    if (args.target !== undefined && approvalId.test(args.target)) {
      const approval = await (await session.connect()).approval(args.target);
      return output.json ? output.printJson(approval) : showWholeApproval(approval, output);
    }
    const target = explicitTarget(args.target, options.to, session.tag);
    const client = await session.connect();
    const { approvals } = await client.approvals(target ? { target: formatTarget(target) } : {});
    if (output.json) return output.printJson({ approvals });
    if (approvals.length === 0) return output.note("nothing is waiting for you");
    showApprovals(approvals, output);
  },
});
