/** `redrive`: retries dead letters; their attempts are counted from the start. */
import { defineCommand, rest } from "../command-line/command.ts";
import { to } from "../command-line/options.ts";
import { changeDeliveries } from "../command-line/change-deliveries.ts";
import { plural } from "../../text/terminal.ts";

export const command = defineCommand({
  arguments: { messages: rest("message ids, or a target: all its dead letters") },
  options: { to },
  examples: [
    ["agent-worker redrive @review", "retry all dead letters of a workflow"],
    ["agent-worker redrive m4k2v9q0x7ab1", "retry one message"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const { changed, target } = await changeDeliveries(session, args.messages, options.to, "redrive");
    if (output.json) return output.printJson({ changed });
    if (changed.length === 0) return output.note("no dead letters");
    output.print(`${plural(changed.length, "dead letter")} back in the inbox`);
    output.next(`agent-worker attach ${target}`, "watch it");
  },
});
