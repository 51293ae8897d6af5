/** `peek`: shows the latest messages of a channel; wakes no agent. */
import { formatTarget } from "../../protocol/target.ts";
import { messageInvolves } from "../render/involves-agent.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { count, to } from "../command-line/options.ts";
import { createView } from "../client/watch-events.ts";
import { chooseTarget } from "../command-line/target.ts";

const defaultMessages = 20;
/** The most that the daemon returns at once. */
const maxMessages = 500;

export const command = defineCommand({
  arguments: { target: optional("a workflow (@review), or an agent: only messages it sent or received") },
  options: {
    to,
    lines: count("-n, --lines <count>", `number of messages (default: ${defaultMessages}, max: ${maxMessages})`),
  },
  examples: [
    ["agent-worker peek @review", "show the latest messages of the channel"],
    ["agent-worker peek alice -n 5 --json", "show an agent's last five, as JSON"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const target = await chooseTarget(session, args.target, options.to);
    const client = await session.connect();
    const limit = Math.min(options.lines ?? defaultMessages, maxMessages);
    const { agent } = target;
    const answer = await client.call("GET /workflows/:target/messages", {
      target: formatTarget(target),
      query: { limit: agent === undefined ? limit : maxMessages },
    });
    const messages = answer.messages
      .filter((message) => agent === undefined || messageInvolves(message, agent))
      .slice(-limit);
    if (output.json) return output.printJson({ messages });
    if (messages.length === 0) {
      output.note("no messages yet");
      return output.next(`agent-worker send ${formatTarget(target)} "…"`, "send the first one");
    }
    const agents = [...new Set(messages.map(({ sender }) => sender))].filter((name) => name !== "user");
    const view = createView(output, { clock: "time", several: false, agents, ids: true });
    const { workflow, tag } = target;
    for (const data of messages) {
      const { seq, run, turn, id: message, createdAt: at } = data;
      view({ type: "message", seq, at, workflow, tag, project: "", run, message, turn, data });
    }
  },
});
