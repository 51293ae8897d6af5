/** `logs`: the events of one workflow, or of all. */
import { formatTarget, parseTarget } from "../../protocol/target.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { count, flag, to } from "../command-line/options.ts";
import { readDefaultTarget, writtenTarget } from "../command-line/target.ts";
import { concerns, createView, watchEvents } from "../render/view.ts";

export const command = defineCommand({
  arguments: { target: optional("a workflow (@review) or an agent; without it and without a default, everything") },
  options: {
    to,
    follow: flag("-f, --follow", "go on with what happens from now"),
    lines: count("-n, --lines <count>", "only the last so many events"),
  },
  details: "With --json, one event per line. --verbose adds tool arguments and results.",
  examples: [
    ["agent-worker logs @review", "everything that happened"],
    ["agent-worker logs -f -n 20", "the last of all workflows, and what comes"],
    ["agent-worker logs coder@review --verbose", "one agent, with its tool calls"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const chosen = readDefaultTarget(session.home);
    const target =
      writtenTarget(args.target, options.to, session.tag) ?? (chosen === undefined ? undefined : parseTarget(chosen));
    const { agent } = target ?? {};
    const client = await session.connect();
    const view = createView(output, { clock: "time", several: target === undefined });
    const events = watchEvents(client, {
      ...(target && { target: formatTarget(target) }),
      last: options.lines,
      follow: options.follow,
      wanted: (event) => agent === undefined || concerns(event, agent),
    });
    for await (const event of events) view(event);
  },
});
