/** `inbox`: lists messages that agents have not handled yet. */
import { formatTarget } from "../../protocol/target.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { flag, to } from "../command-line/options.ts";
import { renderDeliveries } from "../render/listing.ts";
import { commandToResume } from "../render/parked.ts";
import { chooseTarget, workflowOf } from "../command-line/target.ts";

export const command = defineCommand({
  arguments: { target: optional("an agent (coder@review) or a whole workflow (@review)") },
  options: { to, dead: flag("--dead", "list only dead letters") },
  examples: [
    ["agent-worker inbox @review", "list all undelivered messages of the workflow"],
    ["agent-worker inbox coder@review --dead", "list the dead letters of one agent"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const target = await chooseTarget(session, args.target, options.to);
    const targetName = formatTarget(target);
    const client = await session.connect();
    const { deliveries } = await client.call("GET /inbox/:target", {
      target: targetName,
      query: { state: options.dead ? "dead" : undefined },
    });
    if (output.json) return output.printJson({ deliveries });
    if (deliveries.length === 0) return output.note(options.dead ? "no dead letters" : "the inbox is empty");
    output.print(renderDeliveries(deliveries, output.stdout, Date.now()));
    const dead = deliveries.find(({ state }) => state === "dead");
    const parked = deliveries.find(({ state }) => state === "parked");
    const stuck = dead ?? parked;
    if (stuck) output.next(`agent-worker why ${stuck.message.id}`, "see what happened to it");
    if (dead) output.next(`agent-worker redrive ${targetName}`, "retry the dead letters");
    else if (parked) {
      const workflow = await client.workflow(workflowOf(target));
      output.next(commandToResume(workflow, parked.agent, parked.parkReason ?? "stopped"), "resume the parked ones");
    }
  },
});
