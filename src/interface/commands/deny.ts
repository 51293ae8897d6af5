/** `deny`: denies a tool call or a question; the agent sees the reason. */
import { defineCommand, required } from "../command-line/command.ts";
import { text } from "../command-line/options.ts";
import { visible } from "../../text/visible.ts";

export const command = defineCommand({
  arguments: { id: required("id of the approval or question") },
  options: { reason: text("--reason <text>", "shown to the agent") },
  details: "The agent's turn continues without it: a denial is not a failure. A denied question stays unanswered.",
  examples: [['agent-worker deny a4k2v9q0x7ab1 --reason "not on a Friday"', "deny the call and tell the agent why"]],
  async run({ args, options, session }) {
    const { output } = session;
    const client = await session.connect();
    const { reason } = options;
    const decided = await client.decide(args.id, { decision: "deny", ...(reason !== undefined && { reason }) });
    if (output.json) return output.printJson(decided);
    output.print(`denied ${decided.id}: ${visible(decided.target)} continues without it`);
    output.next("agent-worker pending", "see what else is waiting for you");
  },
});
