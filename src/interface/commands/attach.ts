/** `attach`: watches a running workflow. Ctrl-C ends the command, not the workflow. */
import { AppError } from "../../protocol/error.ts";
import type { Event } from "../../protocol/event.ts";
import { formatTarget } from "../../protocol/target.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { to } from "../command-line/options.ts";
import { onFirstSignal } from "../command-line/signals.ts";
import { chooseTarget, workflowOf } from "../command-line/target.ts";
import { eventInvolves } from "../render/involves-agent.ts";
import { commandAfter } from "../render/summary.ts";
import { createView, watchEvents } from "../client/watch-events.ts";

const recentEvents = 50;

export const command = defineCommand({
  arguments: { target: optional("a workflow (@review) or one of its agents") },
  options: { to },
  details: "Shows the latest events, then new ones as they happen. Ctrl-C detaches; the workflow keeps running.",
  examples: [["agent-worker attach @review", "watch it until it ends; exits with the exit code of the run"]],
  async run({ args, options, session }) {
    const { output } = session;
    const target = await chooseTarget(session, args.target, options.to);
    const { agent } = target;
    const workflow = workflowOf(target);
    const client = await session.connect();
    const { state, run, project } = await client.workflow(formatTarget(target));
    if (state !== "running") {
      throw new AppError("conflict", `${workflow} is not running`, {
        hint: `agent-worker logs ${formatTarget(target)} shows what happened`,
      });
    }
    onFirstSignal((code) => {
      output.note(`\ndetached from ${workflow}; it keeps running`);
      output.next(`agent-worker stop ${workflow}`, "stop it");
      process.exit(code);
    });
    const view = createView(output, { clock: "time", several: false });
    const events = watchEvents(client, {
      target: workflow,
      project,
      last: recentEvents,
      follow: true,
      filter: (event) => event.run === run && (agent === undefined || eventInvolves(event, agent)),
    });
    for await (const event of events) {
      view(event);
      if (event.type !== "workflow-end" || !(await isLastEnd(event))) continue;
      output.next(...commandAfter(event.data, workflow));
      return event.data.exitCode;
    }

    /** A resumed run has ended before, and those earlier ends are among the events. */
    async function isLastEnd({ at }: Event): Promise<boolean> {
      const now = await client.workflow(workflow, project);
      return now.run !== run || (now.state !== "running" && (now.endedAt ?? 0) <= at);
    }
  },
});
