/** `rm`: a standalone agent, or a workflow with all its history, is gone for good. */
import { AppError } from "../../protocol/error.ts";
import { formatTarget, parseTarget } from "../../protocol/target.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { flag, to } from "../command-line/options.ts";
import { clearDefaultTarget, readDefaultTarget, writtenTarget } from "../command-line/target.ts";

export const command = defineCommand({
  arguments: { target: optional("an agent (alice) or a workflow (@review)") },
  options: { to, force: flag("-f, --force", "also when it runs") },
  examples: [
    ["agent-worker rm alice", "a standalone agent"],
    ["agent-worker rm @review:pr-123", "a workflow instance with its messages"],
  ],
  async run({ args, options, session }) {
    const { home, output } = session;
    const target = writtenTarget(args.target, options.to, session.tag);
    // Never the default: what is removed is named.
    if (!target) throw new AppError("usage", "which one?", { hint: "agent-worker ls shows what there is" });
    const written = formatTarget(target);
    const client = await session.connect();
    if (target.agent === undefined) {
      const { state } = await client.workflow(written);
      if (state === "running" && !options.force) {
        throw new AppError("conflict", `${written} is running`, {
          hint: `agent-worker stop ${written} first, or give --force`,
        });
      }
      await client.purge(written);
    } else {
      await client.removeAgent(written);
    }
    const chosen = readDefaultTarget(home);
    if (chosen !== undefined && formatTarget(parseTarget(chosen)) === written) clearDefaultTarget(home);
    if (output.json) return output.printJson({ removed: written });
    output.print(`removed ${written}`);
    output.next("agent-worker ls", "what is left");
  },
});
