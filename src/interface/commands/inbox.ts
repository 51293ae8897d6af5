/** `inbox`: what agents are owed and have not done. */
import { formatTarget } from "../../protocol/target.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { flag, to } from "../command-line/options.ts";
import { renderDeliveries } from "../render/listing.ts";
import { commandToFree } from "../render/parked.ts";
import { chooseTarget, workflowOf } from "../command-line/target.ts";

export const command = defineCommand({
  arguments: { target: optional("an agent (coder@review) or a whole workflow (@review)") },
  options: { to, dead: flag("--dead", "only what was given up") },
  examples: [
    ["agent-worker inbox @review", "all that waits in the workflow"],
    ["agent-worker inbox coder@review --dead", "the dead letters of one agent"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const target = await chooseTarget(session, args.target, options.to);
    const written = formatTarget(target);
    const client = await session.connect();
    const { deliveries } = await client.call("GET /inbox/:target", {
      target: written,
      query: { state: options.dead ? "dead" : undefined },
    });
    if (output.json) return output.printJson({ deliveries });
    if (deliveries.length === 0) return output.note(options.dead ? "no dead letters" : "the inbox is empty");
    output.print(renderDeliveries(deliveries, output.stdout, Date.now()));
    const dead = deliveries.find(({ state }) => state === "dead");
    const parked = deliveries.find(({ state }) => state === "parked");
    const stuck = dead ?? parked;
    if (stuck) output.next(`agent-worker why ${stuck.message.id}`, "what happened to it");
    if (dead) output.next(`agent-worker redrive ${written}`, "tries the dead ones again");
    else if (parked) {
      const workflow = await client.workflow(workflowOf(target));
      output.next(commandToFree(workflow, parked.agent, parked.parkReason ?? "stopped"), "lets the parked ones go on");
    }
  },
});
