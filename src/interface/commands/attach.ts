/** `attach`: watches a running workflow; leaving stops nothing. */
import { AppError } from "../../protocol/error.ts";
import type { Event } from "../../protocol/event.ts";
import { formatTarget } from "../../protocol/target.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { to } from "../command-line/options.ts";
import { onFirstSignal } from "../command-line/signals.ts";
import { chooseTarget, workflowOf } from "../command-line/target.ts";
import { commandAfter } from "../render/summary.ts";
import { concerns, createView, watchEvents } from "../render/view.ts";

const shownBefore = 50;

export const command = defineCommand({
  arguments: { target: optional("a workflow (@review) or one agent of it") },
  options: { to },
  details: "Shows what happened last and what happens now. Ctrl-C leaves; the workflow goes on.",
  examples: [["agent-worker attach @review", "watches it to its end; the exit code is the run's"]],
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
      output.note(`\nleft ${workflow}; it goes on`);
      output.next(`agent-worker stop ${workflow}`, "stops it");
      process.exit(code);
    });
    const view = createView(output, { clock: "time", several: false });
    const events = watchEvents(client, {
      target: workflow,
      project,
      last: shownBefore,
      follow: true,
      wanted: (event) => event.run === run && (agent === undefined || concerns(event, agent)),
    });
    for await (const event of events) {
      view(event);
      if (event.type !== "workflow-end" || !(await isLastEnd(event))) continue;
      output.next(...commandAfter(event.data, workflow));
      return event.data.exitCode;
    }

    /** A run that was resumed has ended before, and those ends are told again. */
    async function isLastEnd({ at }: Event): Promise<boolean> {
      const now = await client.workflow(workflow, project);
      return now.run !== run || (now.state !== "running" && (now.endedAt ?? 0) <= at);
    }
  },
});
