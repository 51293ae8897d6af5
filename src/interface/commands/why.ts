/** `why`: the story of one message, from who wrote it to what can be done about it. */
import { AppError } from "../../protocol/error.ts";
import { defineCommand, required } from "../command-line/command.ts";
import { renderStory, stepsAfter } from "../render/story.ts";

export const command = defineCommand({
  arguments: { message: required("a message's id, as `send`, `inbox` and `logs` show it") },
  options: {},
  examples: [["agent-worker why m4k2v9q0x7ab1", "who wrote it, who had it, what went wrong, what to do"]],
  async run({ args, session }) {
    const { output } = session;
    const id = args.message.trim();
    if (id === "") throw new AppError("usage", "which message?", { hint: "agent-worker inbox <target> shows ids" });
    const client = await session.connect();
    const why = await client.call("GET /messages/:id/why", { id });
    if (output.json) return output.printJson(why);
    output.print(renderStory(why, output.stdout, Date.now()));
    const parked = why.deliveries.some(({ state }) => state === "parked");
    const workflow = parked ? await client.workflow(why.target, why.project) : undefined;
    for (const step of stepsAfter(why, workflow)) output.next(...step);
  },
});
