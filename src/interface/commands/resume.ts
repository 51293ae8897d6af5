/** `resume`: resumes parked work. */
import { formatTarget } from "../../protocol/target.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { to } from "../command-line/options.ts";
import { chooseTarget } from "../command-line/target.ts";
import { plural } from "../../text/terminal.ts";

export const command = defineCommand({
  arguments: { target: optional("a workflow (@review) or one of its agents") },
  options: { to },
  details:
    "Work is parked when a limit is reached, a run is stopped or an API key is missing. Work that is held by a provider's " +
    "usage limit also resumes at once. Agents use the environment of this command from now on.",
  examples: [["agent-worker resume @review", "resume everything that is parked"]],
  async run({ args, options, session }) {
    const { output } = session;
    const target = await chooseTarget(session, args.target, options.to);
    const client = await session.connect();
    const answer = await client.call("POST /workflows/:target/resume", {
      target: formatTarget(target),
      body: { env: session.env },
    });
    if (output.json) return output.printJson(answer);
    const isResumed = answer.changed.length > 0 || answer.workflow.state === "running";
    const agents = answer.workflow.agents.filter(({ name }) => target.agent === undefined || name === target.agent);
    const stopped = agents.find(({ state, inbox }) => state === "stopped" && inbox.parked > 0);
    if (answer.changed.length === 0 && stopped) {
      output.note(`${plural(stopped.inbox.parked, "message")} parked for ${stopped.name}, which is stopped`);
      return output.next(`agent-worker start ${stopped.target}`, "start it again");
    }
    if (!isResumed) return output.note(`nothing is parked in ${formatTarget(target)}`);
    output.print(`resumed ${formatTarget(target)}`);
    output.next(`agent-worker attach ${answer.workflow.target}`, "watch it");
  },
});
