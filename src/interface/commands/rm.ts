/** `rm`: removes a standalone agent, or a workflow and its history. */
import { AppError } from "../../protocol/error.ts";
import { formatTarget, parseTarget } from "../../protocol/target.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { flag, to } from "../command-line/options.ts";
import { clearDefaultTarget, readDefaultTarget, explicitTarget } from "../command-line/target.ts";

export const command = defineCommand({
  arguments: { target: optional("an agent (alice) or a workflow (@review)") },
  options: { to, force: flag("-f, --force", "remove the workflow even if it is running") },
  examples: [
    ["agent-worker rm alice", "remove a standalone agent"],
    ["agent-worker rm @review:pr-123", "remove a workflow instance and its messages"],
  ],
  async run({ args, options, session }) {
    const { home, output } = session;
    const target = explicitTarget(args.target, options.to, session.tag);
    // Never the default target: the user has to name what is removed.
    if (!target)
      throw new AppError("usage", "missing target", { hint: "agent-worker ls lists all workflows and agents" });
    const targetName = formatTarget(target);
    const client = await session.connect();
    if (target.agent === undefined) {
      const { state } = await client.workflow(targetName);
      if (state === "running" && !options.force) {
        throw new AppError("conflict", `${targetName} is running`, {
          hint: `run agent-worker stop ${targetName} first, or use --force`,
        });
      }
      await client.purge(targetName);
    } else {
      await client.removeAgent(targetName);
    }
    const chosen = readDefaultTarget(home);
    if (chosen !== undefined && formatTarget(parseTarget(chosen)) === targetName) clearDefaultTarget(home);
    if (output.json) return output.printJson({ removed: targetName });
    output.print(`removed ${targetName}`);
    output.next("agent-worker ls", "see what is left");
  },
});
