/** `vote`: a person's vote on a proposal. */
import { defineCommand, required } from "../command-line/command.ts";
import { text } from "../command-line/options.ts";
import { renderProposal } from "../render/proposal.ts";

export const command = defineCommand({
  arguments: { proposal: required("its id, as `proposals` shows it"), choice: required("an option's id") },
  options: { reason: text("--reason <text>", "why; it is written down with the decision") },
  details:
    "Until it is decided you may vote again: the latest vote counts. You have a vote where the proposal names user.",
  examples: [['agent-worker vote m4k2v9q0x7ab1 blue --reason "It is calm."', "votes for blue"]],
  async run({ args, options, session }) {
    const { output } = session;
    const client = await session.connect();
    const proposal = await client.call("POST /proposals/:id/votes", {
      id: args.proposal.trim(),
      body: { choice: args.choice, reason: options.reason },
    });
    if (output.json) return output.printJson(proposal);
    output.print(renderProposal(proposal, output.stdout, Date.now()));
    if (proposal.status === "active") output.next(`agent-worker proposals show ${proposal.id}`, "how it goes on");
    else output.next(`agent-worker doc read ${proposal.target} decisions.md`, "all decisions");
  },
});
