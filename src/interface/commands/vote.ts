/** `vote`: casts the user's vote on a proposal. */
import { defineCommand, required } from "../command-line/command.ts";
import { text } from "../command-line/options.ts";
import { renderProposal } from "../render/proposal.ts";

export const command = defineCommand({
  arguments: { proposal: required("id of the proposal, as shown by `proposals`"), choice: required("id of an option") },
  options: { reason: text("--reason <text>", "why; stored with the decision") },
  details: "You can vote again until it is decided: the latest vote counts. You can vote if the voters include user.",
  examples: [['agent-worker vote m4k2v9q0x7ab1 blue --reason "It is calm."', "vote for blue"]],
  async run({ args, options, session }) {
    const { output } = session;
    const client = await session.connect();
    const proposal = await client.call("POST /proposals/:id/votes", {
      id: args.proposal.trim(),
      body: { choice: args.choice, reason: options.reason },
    });
    if (output.json) return output.printJson(proposal);
    output.print(renderProposal(proposal, output.stdout, Date.now()));
    if (proposal.status === "active") output.next(`agent-worker proposals show ${proposal.id}`, "see its votes");
    else output.next(`agent-worker doc read ${proposal.target} decisions.md`, "see all decisions");
  },
});
