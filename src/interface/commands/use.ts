/** `use`: sets the target of commands that are given none. */
import { AppError } from "../../protocol/error.ts";
import { formatTarget } from "../../protocol/target.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { flag, to } from "../command-line/options.ts";
import { clearDefaultTarget, readDefaultTarget, writeDefaultTarget, explicitTarget } from "../command-line/target.ts";

export const command = defineCommand({
  arguments: { target: optional("the new default; without it, shows the current one") },
  options: { to, clear: flag("--clear", "remove the default") },
  examples: [
    ["agent-worker use @review", "from now on, `agent-worker peek` means `peek @review`"],
    ["agent-worker use --clear", "remove the default target"],
  ],
  async run({ args, options, session }) {
    const { home, output } = session;
    if (options.clear) {
      clearDefaultTarget(home);
      return output.json ? output.printJson({ target: null }) : output.print("no default target");
    }
    const target = explicitTarget(args.target, options.to, session.tag);
    if (!target) {
      const chosen = readDefaultTarget(home);
      if (output.json) return output.printJson({ target: chosen ?? null });
      if (chosen !== undefined) return output.print(chosen);
      throw new AppError("not-found", "no default target is set", {
        hint: "agent-worker use <target> sets one",
      });
    }
    const targetName = formatTarget(target);
    const client = await session.connect();
    // Checked now, so that a typo does not only show at the next command.
    await (target.agent === undefined
      ? client.workflow(targetName)
      : client.call("GET /agents/:target", { target: targetName }));
    writeDefaultTarget(home, targetName);
    if (output.json) return output.printJson({ target: targetName });
    output.print(`default target: ${targetName}`);
    output.next('agent-worker send "…"', "send a message to it");
  },
});
