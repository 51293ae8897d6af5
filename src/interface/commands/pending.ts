/** `pending`: what agents ask, and wait for. */
import { formatTarget } from "../../protocol/target.ts";
import { showAsked } from "../asked.ts";
import { defineCommand, optional } from "../command.ts";
import { to } from "../options.ts";
import { writtenTarget } from "../target.ts";

export const command = defineCommand({
  arguments: { target: optional("only of this agent or workflow; all unless said") },
  options: { to },
  details:
    "Calls that an agent's `approval` rules do not let it make alone, and questions. Each shows exactly what will be run; " +
    "secrets are left out. --verbose shows long arguments in full.",
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
