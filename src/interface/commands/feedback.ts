/** `feedback`: says what could be better, or lists what agents and people have said. */
import { feedbackKinds } from "../../protocol/feedback.ts";
import { AppError } from "../../protocol/error.ts";
import { didYouMean } from "../../text/suggest.ts";
import { defineCommand, rest } from "../command-line/command.ts";
import { count, text } from "../command-line/options.ts";
import { renderTable } from "../render/table.ts";
import { oneLine, printable } from "../../text/terminal.ts";
import { formatAge } from "../render/time.ts";

const fewLines = 20;
const mostLines = 500;

export const command = defineCommand({
  arguments: { text: rest("what you want to say; without it, what was said is listed") },
  options: {
    kind: text("--kind <kind>", `${feedbackKinds.join(", ")} (other unless said)`),
    about: text("--about <target>", "what it is about: a tool, an agent, a workflow (agent-worker unless said)"),
    lines: count("-n, --lines <count>", `list so many (${fewLines} unless said, at most ${mostLines})`),
  },
  details: "It stays on this machine. Agents give theirs with the tool feedback_submit.",
  examples: [
    ['agent-worker feedback "bash needs a longer timeout" --kind idea --about bash', "notes it"],
    ["agent-worker feedback --json", "all of it, the newest first"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const words = args.text.join(" ").trim();
    const kind = toKind(options.kind ?? "other");
    const client = await session.connect();
    if (words !== "") {
      const given = await client.giveFeedback({ kind, target: options.about ?? "agent-worker", text: words });
      if (output.json) return output.printJson(given);
      output.print("noted");
      return output.next("agent-worker feedback", "lists what was said");
    }
    const limit = Math.min(options.lines ?? fewLines, mostLines);
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
