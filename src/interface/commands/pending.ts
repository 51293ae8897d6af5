/** `pending`: what agents ask, and wait for. */
import { formatTarget } from "../../protocol/target.ts";
import { showAsked } from "../render/asked.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { to } from "../command-line/options.ts";
import { writtenTarget } from "../command-line/target.ts";

export const command = defineCommand({
  arguments: { target: optional("only of this agent or workflow; all unless said") },
  options: { to },
  details:
    "Calls that an agent's `approval` rules do not let it make alone, and questions. Each shows what will be run, without " +
    "secrets: of long arguments the first 2,000 characters, with --verbose all that is kept. That is up to 16,000; of longer " +
    "ones the beginning and the end are kept, and it says how much is missing between them.",
  examples: [
    ["agent-worker pending", "everything that waits for somebody"],
    ["agent-worker pending @review --json", "of one workflow, for a program"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const target = writtenTarget(args.target, options.to, session.tag);
    const client = await session.connect();
    const { approvals } = await client.approvals(target ? { target: formatTarget(target) } : {});
    if (output.json) return output.printJson({ approvals });
    if (approvals.length === 0) return output.note("nobody waits for you");
    showAsked(approvals, output);
  },
});
