/** `send`: a person's words to an agent or a workflow. */
import { AppError } from "../../protocol/error.ts";
import type { SendResponse } from "../../protocol/http/messages.ts";
import { messageBytes } from "../../protocol/limits.ts";
import { formatTarget, globalWorkflow, hasTargetForm, nameProblem } from "../../protocol/target.ts";
import { defineCommand, rest } from "../command-line/command.ts";
import { duration, flag, to } from "../command-line/options.ts";
import type { Session } from "../command-line/session.ts";
import type { Output } from "../render/output.ts";
import { commandToFree } from "../render/parked.ts";
import { awaitAnswer } from "../client/reply.ts";
import { readStdin } from "../command-line/stdin.ts";
import { chooseTarget, readDefaultTarget } from "../command-line/target.ts";
import { printable } from "../../text/terminal.ts";

const defaultTimeoutMs = 30 * 60_000;

export const command = defineCommand({
  arguments: { words: rest("[target] <message>; a message of - is read from stdin") },
  options: {
    to,
    wait: flag("-w, --wait", "wait for the answer and print it"),
    timeout: duration("--timeout <duration>", "wait at most so long (30m unless said)"),
    private: flag("--private", "only the agent that it is for sees it"),
  },
  details:
    "A single argument is the message, for the default target; a target without a message is refused. " +
    'In a workflow, @name wakes whom you mean: `send @review "@coder please look"`. ' +
    "With --wait, the timeout ends the waiting (exit code 124), not the message.",
  examples: [
    ['agent-worker send alice "What is left to do?" --wait', "asks a standalone agent"],
    ['agent-worker send @review "@coder please look at line 42"', "says it in the channel, and wakes coder"],
    ['agent-worker send "please look" --to coder@review', "the same, the other way round"],
    ['agent-worker send "@coder please look"', "to the default target"],
    ["git diff | agent-worker send reviewer@review -", "sends what stdin holds"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const [first, ...further] = args.words;
    if (first === undefined) {
      throw new AppError("usage", "missing message", { hint: 'agent-worker send <target> "<message>"' });
    }
    if (options.to === undefined && further.length === 0 && (await isTarget(first, session))) {
      const fallback = readDefaultTarget(session.home) ?? "<target>";
      throw new AppError("usage", "missing message", {
        hint: `agent-worker send ${first} "…"; to send the word itself: agent-worker send --to ${fallback} ${first}`,
      });
    }
    const named = options.to === undefined && further.length > 0;
    const words = named ? further : args.words;
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
      if (answer.replies.length === 0) output.note(`done, without an answer; agent-worker why ${sent.message.id}`);
      return;
    }
    reportSent(sent, output);
    const [parked] = sent.parked;
    if (parked !== undefined) {
      const workflow = await client.workflow(sent.target, sent.project);
      output.warn(`${sent.parked.join(", ")} does not run now; the message waits`);
      output.next(commandToFree(workflow, parked, "not-running"), "lets it be handled");
    } else if (sent.message.recipients.length > 0) {
      output.next(`agent-worker why ${sent.message.id}`, "what became of it");
    }
  },
});

/** Whether a word alone is a target whose message was forgotten: by its form, or as the name of a standalone agent. */
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
    output.warn(`nobody is called @${name}${guess}`);
  }
}

function reportSent({ message }: SendResponse, output: Output): void {
  const { id, recipients } = message;
  output.print(`sent ${id}${recipients.length > 0 ? ` to ${printable(recipients.join(", "))}` : ""}`);
  if (recipients.length === 0) {
    output.warn("it addresses nobody: all can read it, but it wakes no one. Mention someone with @name");
  }
}
