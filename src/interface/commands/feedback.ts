/** `feedback`: saves feedback, or lists the feedback of agents and people. */
import { feedbackKinds } from "../../protocol/feedback.ts";
import { AppError } from "../../protocol/error.ts";
import { didYouMean } from "../../text/suggest.ts";
import { defineCommand, rest } from "../command-line/command.ts";
import { count, text } from "../command-line/options.ts";
import { renderTable } from "../render/table.ts";
import { oneLine, printable } from "../../text/terminal.ts";
import { formatAge } from "../render/time.ts";

const defaultLines = 20;
const maxLines = 500;

export const command = defineCommand({
  arguments: { text: rest("your feedback; without it, all feedback is listed") },
  options: {
    kind: text("--kind <kind>", `${feedbackKinds.join(", ")} (default: other)`),
    about: text("--about <target>", "a tool, an agent or a workflow (default: agent-worker)"),
    lines: count("-n, --lines <count>", `number of entries to list (default: ${defaultLines}, max: ${maxLines})`),
  },
  details: "Feedback stays on this machine. Agents give theirs with the tool feedback_submit.",
  examples: [
    ['agent-worker feedback "bash needs a longer timeout" --kind idea --about bash', "give feedback about a tool"],
    ["agent-worker feedback --json", "list feedback as JSON, newest first"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const words = args.text.join(" ").trim();
    const kind = toKind(options.kind ?? "other");
    const client = await session.connect();
    if (words !== "") {
      const given = await client.giveFeedback({ kind, target: options.about ?? "agent-worker", text: words });
      if (output.json) return output.printJson(given);
      output.print("saved");
      return output.next("agent-worker feedback", "list all feedback");
    }
    const limit = Math.min(options.lines ?? defaultLines, maxLines);
    const { feedback } = await client.call("GET /feedback", { query: { limit } });
    if (output.json) return output.printJson({ feedback });
    if (feedback.length === 0) return output.note("no feedback yet");
    const { style, width } = output.stdout;
    const rows = feedback.map((item) => [
      style.dim(formatAge(item.createdAt, Date.now())),
      item.kind,
      printable(item.author),
      printable(item.target),
      oneLine(item.text, 200),
    ]);
    output.print(renderTable(rows, { width }));
  },
});

function toKind(word: string): (typeof feedbackKinds)[number] {
  const kind = feedbackKinds.find((known) => known === word);
  if (kind) return kind;
  throw new AppError("usage", `unknown kind '${word}'${didYouMean(word, feedbackKinds)}`, {
    hint: `one of ${feedbackKinds.join(", ")}`,
  });
}
