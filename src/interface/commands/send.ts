/** `send`: sends a message to an agent or a workflow. */
import { AppError } from "../../protocol/error.ts";
import type { SendResponse } from "../../protocol/http/messages.ts";
import { messageBytes } from "../../protocol/limits.ts";
import { formatTarget, globalWorkflow, hasTargetForm, nameProblem } from "../../protocol/target.ts";
import { defineCommand, rest } from "../command-line/command.ts";
import { duration, flag, to } from "../command-line/options.ts";
import type { Session } from "../command-line/session.ts";
import type { Output } from "../render/output.ts";
import { commandToResume } from "../render/parked.ts";
import { awaitAnswer } from "../client/await-answer.ts";
import { readStdin } from "../command-line/stdin.ts";
import { chooseTarget, readDefaultTarget } from "../command-line/target.ts";
import { printable } from "../../text/terminal.ts";

const defaultTimeoutMs = 30 * 60_000;

export const command = defineCommand({
  arguments: { message: rest("[target] <message>; - reads the message from stdin") },
  options: {
    to,
    wait: flag("-w, --wait", "wait for the answer and print it"),
    timeout: duration("--timeout <duration>", "how long to wait (default: 30m)"),
    private: flag("--private", "only the recipient sees it"),
  },
  details:
    "A single argument is a message to the default target; a target without a message is an error. " +
    'In a workflow, @name wakes an agent: `send @review "@coder please look"`. ' +
    "If --wait times out (exit code 124), the message is still handled.",
  examples: [
    ['agent-worker send alice "What is left to do?" --wait', "ask a standalone agent"],
    ['agent-worker send @review "@coder please look at line 42"', "send to the channel and wake coder"],
    ['agent-worker send "please look" --to coder@review', "send to one agent, with --to"],
    ['agent-worker send "@coder please look"', "send to the default target"],
    ["git diff | agent-worker send reviewer@review -", "send the text on stdin"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const [first, ...others] = args.message;
    if (first === undefined) {
      throw new AppError("usage", "missing message", { hint: 'agent-worker send <target> "<message>"' });
    }
    if (options.to === undefined && others.length === 0 && (await isTarget(first, session))) {
      const fallback = readDefaultTarget(session.home) ?? "<target>";
      throw new AppError("usage", "missing message", {
        hint: `agent-worker send ${first} "…"; to send the word itself: agent-worker send --to ${fallback} ${first}`,
      });
    }
    const named = options.to === undefined && others.length > 0;
    const words = named ? others : args.message;
    const [target, content] = await Promise.all([
      chooseTarget(session, named ? first : undefined, options.to),
      words.length === 1 && words[0] === "-"
        ? readStdin(messageBytes, "a message", "put long content into a file and send its path")
        : words.join(" "),
    ]);
    const client = await session.connect();
    const sent = await client.send({
      target: formatTarget(target),
      content,
      private: options.private,
      wait: options.wait,
      env: session.env,
    });
    const answer = options.wait
      ? await awaitAnswer(client, sent, options.timeout ?? defaultTimeoutMs, output)
      : undefined;
    if (output.json) return output.printJson(answer ?? sent);
    reportUnknown(sent, output);
    if (answer) {
      for (const { content: reply } of answer.replies) output.printText(reply);
      if (answer.replies.length === 0)
        output.note(`handled without an answer; see agent-worker why ${sent.message.id}`);
      return;
    }
    reportSent(sent, output);
    const [parked] = sent.parked;
    if (parked !== undefined) {
      const workflow = await client.workflow(sent.target, sent.project);
      output.warn(`not running: ${sent.parked.join(", ")}; the message waits`);
      output.next(commandToResume(workflow, parked, "not-running"), "handle it");
    } else if (sent.message.recipients.length > 0) {
      output.next(`agent-worker why ${sent.message.id}`, "see what happened to it");
    }
  },
});

/** Whether a single argument is a target without a message: by its form, or as the name of a standalone agent. */
async function isTarget(word: string, session: Session): Promise<boolean> {
  if (hasTargetForm(word)) return true;
  if (nameProblem(word, "agent") !== undefined) return false;
  const client = await session.connect();
  const { workflows } = await client.call("GET /workflows");
  const standalone = workflows.find(({ name }) => name === globalWorkflow)?.agents ?? [];
  return standalone.some(({ name }) => name.toLowerCase() === word.toLowerCase());
}

function reportUnknown({ unknown }: SendResponse, output: Output): void {
  for (const { name, nearest } of unknown) {
    const guess = nearest.length > 0 ? `; did you mean ${nearest.map((known) => `@${known}`).join(" or ")}?` : "";
    output.warn(`no agent named @${name}${guess}`);
  }
}

function reportSent({ message }: SendResponse, output: Output): void {
  const { id, recipients } = message;
  output.print(`sent ${id}${recipients.length > 0 ? ` to ${printable(recipients.join(", "))}` : ""}`);
  if (recipients.length === 0) {
    output.warn(
      "the message has no recipients: all agents can read it, but it wakes none of them. Mention an agent with @name",
    );
  }
}
