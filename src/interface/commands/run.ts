/** `run`: one workflow, from its kickoff to the moment when nothing is left to do. */
import { AppError } from "../../protocol/error.ts";
import { formatTarget } from "../../protocol/target.ts";
import type { Client } from "../client/client.ts";
import { defineCommand, required } from "../command-line/command.ts";
import { duration, flag, hidden } from "../command-line/options.ts";
import { conduct } from "../command-line/conduct.ts";
import { totalInbox } from "../render/listing.ts";
import type { Output } from "../render/output.ts";
import { paramFlags, readParams } from "../command-line/params.ts";
import { commandAfter, reasonFor } from "../render/summary.ts";
import { tagOf } from "../command-line/target.ts";
import { createSideView } from "../render/view.ts";
import { openWorkflowFile, reportLeftover, startRequest, withPositions } from "../command-line/workflow-file.ts";

export const command = defineCommand({
  arguments: { file: required("the workflow file") },
  options: {
    events: flag("--events", "every event as a line of JSON on stdout"),
    fresh: flag("--fresh", "forget what earlier runs of this instance left"),
    idleDebounce: hidden(duration("--idle-debounce <duration>", "accepted; the end is known exactly")),
    lazy: hidden(flag("--lazy", "accepted; workers start only when there is work")),
  },
  details:
    "The log goes to stderr, the run's output alone to stdout. Ctrl-C stops the run. " +
    "What agents ask is denied at once where nobody can answer: with --no-input, or without a terminal. " +
    "Exit codes: 0 done, 1 failed or dead letters, 2 invalid file, 3 nobody answered, 6 stopped by a limit, 130 interrupted.",
  examples: [
    ["agent-worker run examples/review.yaml", "runs it and shows what happens"],
    ["agent-worker run review.yaml --tag pr-123 --fresh", "another instance, from the beginning"],
    [
      "agent-worker run review.yaml --target main",
      "with a value for its param `target`; run review.yaml --help lists them",
    ],
    ["agent-worker run review.yaml --json | jq .output", "one result for a program"],
    ["agent-worker run review.yaml --events | jq -r .type", "everything, as it happens"],
  ],
  further: paramFlags,
  async run({ args, options, flags, session }) {
    const { output } = session;
    session.prepare();
    const workflow = await openWorkflowFile(args.file, "run", session);
    const params = await readParams(workflow, flags);
    const client = await session.connect();
    // What is asked is shown on stderr: without a terminal there, nobody can be expected to see it.
    const attended = session.globals.input && output.stderr.terminal;
    const request = startRequest(session, workflow, { fresh: options.fresh, params, attended });
    const { project } = request;
    const target = formatTarget({ workflow: workflow.definition.name, tag: tagOf(session) });
    if (!options.fresh) reportLeftover(await leftoverOf(client, target, project), target, output);
    const listening = new AbortController();
    const events = client.run(request, target, listening.signal);
    const view = options.events ? output.printJsonLine : createSideView(output, { clock: "elapsed", several: false });
    const { result, signal } = await withPositions(workflow, () =>
      conduct({ client, output, target, project, events, view }),
    );
    if (result && !options.events) {
      if (output.quiet && result.status !== "completed")
        output.warn(`${target} ${result.status}: ${reasonFor(result, target)}`);
      output.next(...commandAfter(result, target));
      if (output.json) output.printJson(result);
      else showOutput(result.output, output);
    }
    return signal ?? result?.exitCode ?? 1;
  },
});

/** On a terminal the output follows the log, and an empty line tells them apart. */
function showOutput(text: string, output: Output): void {
  if (text !== "" && output.stdout.terminal && output.stderr.terminal) output.note("");
  output.printText(text);
}

/** What earlier runs left undone: it stays so, and the user should know. */
async function leftoverOf(client: Client, target: string, project: string): Promise<number> {
  try {
    const { dead, parked } = totalInbox((await client.workflow(target, project)).agents);
    return dead + parked;
  } catch (error) {
    if (error instanceof AppError && error.code === "not-found") return 0;
    throw error;
  }
}
