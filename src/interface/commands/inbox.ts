/** `inbox`: what agents are owed and have not done. */
import { formatTarget } from "../../protocol/target.ts";
import { defineCommand, flag, optional, to } from "../command.ts";
import { renderDeliveries } from "../listing.ts";
import { chooseTarget } from "../target.ts";

export const command = defineCommand({
  arguments: { target: optional("an agent (coder@review) or a whole workflow (@review)") },
  options: { to, dead: flag("--dead", "only what was given up") },
  examples: [
    ["agent-worker inbox @review", "all that waits in the workflow"],
    ["agent-worker inbox coder@review --dead", "the dead letters of one agent"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const target = formatTarget(await chooseTarget(session, args.target, options.to));
    const client = await session.connect();
    const { deliveries } = await client.inbox(target, options.dead ? "dead" : undefined);
    if (output.json) return output.printJson({ deliveries });
    if (deliveries.length === 0) return output.note(options.dead ? "no dead letters" : "the inbox is empty");
    output.print(renderDeliveries(deliveries, output.stdout, Date.now()));
    const stuck =
      deliveries.find(({ state }) => state === "dead") ?? deliveries.find(({ state }) => state === "parked");
    if (stuck) output.next(`agent-worker why ${stuck.message.id}`, "what happened to it");
    if (deliveries.some(({ state }) => state === "dead")) {
      output.next(`agent-worker redrive ${target}`, "tries the dead ones again");
    } else if (stuck) {
      output.next(`agent-worker resume ${target}`, "goes on with the parked ones");
    }
  },
});
