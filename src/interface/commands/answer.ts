/** `answer`: answers an agent's question. */
import { AppError } from "../../protocol/error.ts";
import { defineCommand, required, rest } from "../command-line/command.ts";
import { visible } from "../../text/visible.ts";

export const command = defineCommand({
  arguments: { id: required("id of the question"), answer: rest("the answer, or the number of an option") },
  options: {},
  examples: [
    ['agent-worker answer a4k2v9q0x7ab1 "The one in Frankfurt."', "answer with text"],
    ["agent-worker answer a4k2v9q0x7ab1 2", "choose the second option"],
  ],
  async run({ args, session }) {
    const { output } = session;
    const answer = args.answer.join(" ");
    if (answer.trim() === "") {
      throw new AppError("usage", "missing answer", { hint: `agent-worker answer ${args.id} "…"` });
    }
    const client = await session.connect();
    const decided = await client.decide(args.id, { decision: "approve", answer });
    if (output.json) return output.printJson(decided);
    output.print(`answered ${visible(decided.target)}: ${visible(decided.answer ?? "")}`);
    output.next("agent-worker pending", "see what else is waiting for you");
  },
});
