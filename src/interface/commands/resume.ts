/** `resume`: parked work goes on. */
import { formatTarget } from "../../protocol/target.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { to } from "../command-line/options.ts";
import { chooseTarget } from "../command-line/target.ts";
import { plural } from "../../text/terminal.ts";

export const command = defineCommand({
  arguments: { target: optional("a workflow (@review), or one agent of it") },
  options: { to },
  details:
    "Work is parked when a limit was reached, a run was stopped, or a key was missing. What a provider's usage limit holds until a " +
    "time goes on at once, too. This environment is used from now on.",
  examples: [["agent-worker resume @review", "goes on with everything that is parked"]],
  async run({ args, options, session }) {
    const { output } = session;
    const target = await chooseTarget(session, args.target, options.to);
    const client = await session.connect();
    const answer = await client.call("POST /workflows/:target/resume", {
      target: formatTarget(target),
      body: { env: session.env },
    });
    if (output.json) return output.printJson(answer);
    const goesOn = answer.changed.length > 0 || answer.workflow.state === "running";
    const agents = answer.workflow.agents.filter(({ name }) => target.agent === undefined || name === target.agent);
    const held = agents.find(({ state, inbox }) => state === "stopped" && inbox.parked > 0);
    if (answer.changed.length === 0 && held) {
      output.note(`${plural(held.inbox.parked, "message")} parked for ${held.name}, which is stopped`);
      return output.next(`agent-worker start ${held.target}`, "lets it go on");
    }
    if (!goesOn) return output.note(`nothing is parked in ${formatTarget(target)}`);
    output.print(`${formatTarget(target)} goes on`);
    output.next(`agent-worker attach ${answer.workflow.target}`, "watches it");
  },
});
