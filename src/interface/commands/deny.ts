/** `deny`: an agent does not get what it asks for, and is told why. */
import { defineCommand, required } from "../command-line/command.ts";
import { text } from "../command-line/options.ts";

export const command = defineCommand({
  arguments: { id: required("what is asked, by its id") },
  options: { reason: text("--reason <text>", "the agent is told") },
  details: "The agent's turn goes on without it: a denial is no failure. A question that is denied stays unanswered.",
  examples: [['agent-worker deny a4k2v9q0x7ab1 --reason "not on a Friday"', "and the agent reads why"]],
  async run({ args, options, session }) {
    const { output } = session;
    const client = await session.connect();
    const { reason } = options;
    const decided = await client.decide(args.id, { decision: "deny", ...(reason !== undefined && { reason }) });
    if (output.json) return output.printJson(decided);
    output.print(`denied ${decided.id}: ${decided.target} goes on without it`);
    output.next("agent-worker pending", "what else waits");
  },
});
