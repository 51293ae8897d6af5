/** `stop`: ends the work of a workflow or an agent; what is open waits, parked. */
import { formatTarget, globalWorkflow } from "../../protocol/target.ts";
import type { Client } from "../client/client.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { flag, to } from "../command-line/options.ts";
import { chooseTarget } from "../command-line/target.ts";

export const command = defineCommand({
  arguments: { target: optional("an agent (alice, coder@review) or a workflow (@review)") },
  options: { to, all: flag("--all", "every running workflow and standalone agent") },
  details: "Workers are ended, open messages are parked. It stays stopped, also across restarts, until `start`.",
  examples: [
    ["agent-worker stop @review", "the whole workflow"],
    ["agent-worker stop coder@review", "one agent of it; the others work on"],
    ["agent-worker stop --all", "everything"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const client = await session.connect();
    if (options.all) {
      const stopped = await stopAll(client);
      if (output.json) return output.printJson({ stopped });
      for (const target of stopped) output.print(`stopped ${target}`);
      if (stopped.length === 0) output.note("nothing was running");
      else output.next(`agent-worker start ${stopped[0]}`, "undoes it");
      return;
    }
    const target = await chooseTarget(session, args.target, options.to);
    const written = formatTarget(target);
    const wasRunning = target.agent === undefined ? (await client.stop(written)).stopped : true;
    if (target.agent !== undefined) await client.setStopped(written, true);
    if (output.json) return output.printJson({ stopped: wasRunning ? [written] : [] });
    if (!wasRunning) return output.note(`${written} was not running`);
    output.print(`stopped ${written}`);
    output.next(`agent-worker start ${written}`, "undoes it");
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
