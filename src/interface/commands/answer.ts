/** `answer`: a person's answer to an agent's question. */
import { AppError } from "../../protocol/error.ts";
import { defineCommand, required, rest } from "../command-line/command.ts";
import { printable } from "../../text/terminal.ts";

export const command = defineCommand({
  arguments: { id: required("the question, by its id"), words: rest("the answer; or the number of an option") },
  options: {},
  examples: [
    ['agent-worker answer a4k2v9q0x7ab1 "The one in Frankfurt."', "in your own words"],
    ["agent-worker answer a4k2v9q0x7ab1 2", "the second of the options"],
  ],
  async run({ args, session }) {
    const { output } = session;
    const answer = args.words.join(" ");
    if (answer.trim() === "") {
      throw new AppError("usage", "what is the answer?", { hint: `agent-worker answer ${args.id} "…"` });
    }
    const client = await session.connect();
    const decided = await client.decide(args.id, { decision: "approve", answer });
    if (output.json) return output.printJson(decided);
    output.print(`answered ${decided.target}: ${printable(decided.answer ?? "")}`);
    output.next("agent-worker pending", "what else waits");
  },
});
