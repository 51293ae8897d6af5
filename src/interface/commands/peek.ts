/** `peek`: the latest messages of a channel; reading wakes nobody. */
import { formatTarget } from "../../protocol/target.ts";
import { isAbout } from "../render/about.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { count, to } from "../command-line/options.ts";
import { createView } from "../render/view.ts";
import { chooseTarget } from "../command-line/target.ts";

const fewMessages = 20;
/** What the daemon gives at once. */
const mostMessages = 500;

export const command = defineCommand({
  arguments: { target: optional("a workflow (@review), or an agent: what it said and was told") },
  options: {
    to,
    lines: count("-n, --lines <count>", `so many messages (${fewMessages} unless said, at most ${mostMessages})`),
  },
  examples: [
    ["agent-worker peek @review", "the latest messages of the channel"],
    ["agent-worker peek alice -n 5 --json", "an agent's last five, for a program"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const target = await chooseTarget(session, args.target, options.to);
    const client = await session.connect();
    const most = Math.min(options.lines ?? fewMessages, mostMessages);
    const { agent } = target;
    const answer = await client.call("GET /workflows/:target/messages", {
      target: formatTarget(target),
      query: { limit: agent === undefined ? most : mostMessages },
    });
    const messages = answer.messages.filter((message) => agent === undefined || isAbout(message, agent)).slice(-most);
    if (output.json) return output.printJson({ messages });
    if (messages.length === 0) {
      output.note("no messages yet");
      return output.next(`agent-worker send ${formatTarget(target)} "…"`, "writes the first");
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
