/** `logs`: shows the events of one workflow, or of all. */
import { formatTarget, parseTarget } from "../../protocol/target.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { count, flag, to } from "../command-line/options.ts";
import { readDefaultTarget, explicitTarget } from "../command-line/target.ts";
import { eventInvolves } from "../render/involves-agent.ts";
import { createView, watchEvents } from "../client/watch-events.ts";

export const command = defineCommand({
  arguments: {
    target: optional("a workflow (@review) or an agent; without it and without a default target, all workflows"),
  },
  options: {
    to,
    follow: flag("-f, --follow", "follow new events"),
    lines: count("-n, --lines <count>", "show only the last <count> events"),
  },
  details: "With --json, prints one event per line. --verbose adds tool arguments and results.",
  examples: [
    ["agent-worker logs @review", "show everything that happened"],
    ["agent-worker logs -f -n 20", "show the last 20 events of all workflows, and follow"],
    ["agent-worker logs coder@review --verbose", "show one agent, with its tool calls"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const chosen = readDefaultTarget(session.home);
    const target =
      explicitTarget(args.target, options.to, session.tag) ?? (chosen === undefined ? undefined : parseTarget(chosen));
    const { agent } = target ?? {};
    const client = await session.connect();
    const view = createView(output, { clock: "time", several: target === undefined });
    const events = watchEvents(client, {
      ...(target && { target: formatTarget(target) }),
      last: options.lines,
      follow: options.follow,
      filter: (event) => agent === undefined || eventInvolves(event, agent),
    });
    for await (const event of events) view(event);
  },
});
