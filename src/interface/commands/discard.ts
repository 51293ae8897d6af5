/** `discard`: undelivered messages are let go of; nobody will handle them. */
import { AppError } from "../../protocol/error.ts";
import { defineCommand, rest } from "../command-line/command.ts";
import { to } from "../command-line/options.ts";
import { changeDeliveries } from "../command-line/selection.ts";
import { plural } from "../../text/terminal.ts";

export const command = defineCommand({
  arguments: { messages: rest("messages by their ids") },
  options: { to },
  details: "The message stays in the channel; what it still owed counts as done.",
  examples: [["agent-worker discard m4k2v9q0x7ab1", "gives one message up for good"]],
  async run({ args, options, session }) {
    const { output } = session;
    if (args.messages.length === 0) {
      throw new AppError("usage", "which message?", { hint: "agent-worker inbox <target> shows their ids" });
    }
    const { changed } = await changeDeliveries(session, args.messages, options.to, "discard");
    if (output.json) return output.printJson({ changed });
    if (changed.length === 0) return output.note("nothing was owed any more");
    output.print(`discarded ${plural(changed.length, "delivery", "deliveries")}`);
    output.next("agent-worker ls", "what else waits");
  },
});
