/** `redrive`: dead letters are tried again, their attempts counted anew. */
import { defineCommand, rest } from "../command-line/command.ts";
import { to } from "../command-line/options.ts";
import { changeDeliveries } from "../command-line/selection.ts";
import { plural } from "../../text/terminal.ts";

export const command = defineCommand({
  arguments: { what: rest("messages by their ids, or a target: all dead letters there") },
  options: { to },
  examples: [
    ["agent-worker redrive @review", "all dead letters of a workflow"],
    ["agent-worker redrive m4k2v9q0x7ab1", "one message"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const { changed, target } = await changeDeliveries(session, args.what, options.to, "redrive");
    if (output.json) return output.printJson({ changed });
    if (changed.length === 0) return output.note("there were no dead letters");
    output.print(`${plural(changed.length, "dead letter")} back in the inbox`);
    output.next(`agent-worker attach ${target}`, "watches how it goes");
  },
});
