/** `use`: the target that commands mean when none is given. */
import { AppError } from "../../protocol/error.ts";
import { formatTarget } from "../../protocol/target.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { flag, to } from "../command-line/options.ts";
import { clearDefaultTarget, readDefaultTarget, writeDefaultTarget, writtenTarget } from "../command-line/target.ts";

export const command = defineCommand({
  arguments: { target: optional("the new default; without it, the present one is shown") },
  options: { to, clear: flag("--clear", "no default any more") },
  examples: [
    ["agent-worker use @review", "from now on, `agent-worker peek` means `peek @review`"],
    ["agent-worker use --clear", "back to naming the target each time"],
  ],
  async run({ args, options, session }) {
    const { home, output } = session;
    if (options.clear) {
      clearDefaultTarget(home);
      return output.json ? output.printJson({ target: null }) : output.print("no default target");
    }
    const target = writtenTarget(args.target, options.to, session.tag);
    if (!target) {
      const chosen = readDefaultTarget(home);
      if (output.json) return output.printJson({ target: chosen ?? null });
      if (chosen !== undefined) return output.print(chosen);
      throw new AppError("not-found", "no default target was chosen", {
        hint: "agent-worker use <target> chooses one",
      });
    }
    const written = formatTarget(target);
    const client = await session.connect();
    // Asked, so that a slip of the hand is noticed now and not at the next command.
    await (target.agent === undefined
      ? client.workflow(written)
      : client.call("GET /agents/:target", { target: written }));
    writeDefaultTarget(home, written);
    if (output.json) return output.printJson({ target: written });
    output.print(`default target: ${written}`);
    output.next('agent-worker send "…"', "now goes there");
  },
});
