/** `discard`: drops undelivered messages; no agent will handle them. */
import { AppError } from "../../protocol/error.ts";
import { defineCommand, rest } from "../command-line/command.ts";
import { to } from "../command-line/options.ts";
import { changeDeliveries } from "../command-line/change-deliveries.ts";
import { plural } from "../../text/terminal.ts";

export const command = defineCommand({
  arguments: { messages: rest("message ids") },
  options: { to },
  details: "The message stays in the channel; its open deliveries count as done.",
  examples: [["agent-worker discard m4k2v9q0x7ab1", "drop one message"]],
  async run({ args, options, session }) {
    const { output } = session;
    if (args.messages.length === 0) {
      throw new AppError("usage", "missing message id", { hint: "agent-worker inbox <target> lists message ids" });
    }
    const { changed } = await changeDeliveries(session, args.messages, options.to, "discard");
    if (output.json) return output.printJson({ changed });
    if (changed.length === 0) return output.note("nothing to discard");
    output.print(`discarded ${plural(changed.length, "delivery", "deliveries")}`);
    output.next("agent-worker ls", "see what else is waiting");
  },
});
