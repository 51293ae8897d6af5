/** `why`: explains what happened to a message, and what to do about it. */
import { AppError } from "../../protocol/error.ts";
import { defineCommand, required } from "../command-line/command.ts";
import { explainMessage, nextCommands } from "../render/explain-message.ts";

export const command = defineCommand({
  arguments: { message: required("id of a message, as shown by `send`, `inbox` and `peek`") },
  options: {},
  examples: [["agent-worker why m4k2v9q0x7ab1", "see who wrote it, who handled it, what went wrong and what to do"]],
  async run({ args, session }) {
    const { output } = session;
    const id = args.message.trim();
    if (id === "")
      throw new AppError("usage", "missing message id", { hint: "agent-worker inbox <target> lists message ids" });
    const client = await session.connect();
    const why = await client.call("GET /messages/:id/why", { id });
    if (output.json) return output.printJson(why);
    output.print(explainMessage(why, output.stdout, Date.now()));
    const parked = why.deliveries.some(({ state }) => state === "parked");
    const workflow = parked ? await client.workflow(why.target, why.project) : undefined;
    for (const step of nextCommands(why, workflow)) output.next(...step);
  },
});
