/** `stop`: stops a workflow or an agent; open messages are parked. */
import { formatTarget, globalWorkflow } from "../../protocol/target.ts";
import type { Client } from "../client/client.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { flag, to } from "../command-line/options.ts";
import { chooseTarget } from "../command-line/target.ts";

export const command = defineCommand({
  arguments: { target: optional("an agent (alice, coder@review) or a workflow (@review)") },
  options: { to, all: flag("--all", "stop every running workflow and standalone agent") },
  details:
    "Ends the workers and parks open messages. The target stays stopped until `start`, even if the daemon restarts.",
  examples: [
    ["agent-worker stop @review", "stop the whole workflow"],
    ["agent-worker stop coder@review", "stop one of its agents; the others continue"],
    ["agent-worker stop --all", "stop everything"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const client = await session.connect();
    if (options.all) {
      const stopped = await stopAll(client);
      if (output.json) return output.printJson({ stopped });
      for (const target of stopped) output.print(`stopped ${target}`);
      if (stopped.length === 0) output.note("nothing was running");
      else output.next(`agent-worker start ${stopped[0]}`, "undo it");
      return;
    }
    const target = await chooseTarget(session, args.target, options.to);
    const targetName = formatTarget(target);
    const wasRunning = target.agent === undefined ? (await client.stop(targetName)).stopped : true;
    if (target.agent !== undefined) await client.setStopped(targetName, true);
    if (output.json) return output.printJson({ stopped: wasRunning ? [targetName] : [] });
    if (!wasRunning) return output.note(`${targetName} was not running`);
    output.print(`stopped ${targetName}`);
    output.next(`agent-worker start ${targetName}`, "undo it");
  },
});

async function stopAll(client: Client): Promise<string[]> {
  const stopped: string[] = [];
  const { workflows } = await client.call("GET /workflows");
  for (const workflow of workflows.filter(({ state }) => state === "running")) {
    if (workflow.name === globalWorkflow) {
      for (const agent of workflow.agents.filter(({ state }) => state !== "stopped")) {
        await client.setStopped(agent.target, true);
        stopped.push(agent.target);
      }
    } else {
      await client.stop(workflow.target, workflow.project);
      stopped.push(workflow.target);
    }
  }
  return stopped;
}
