/** `run`: runs a workflow from its kickoff until nothing is left to do. */
import { AppError } from "../../protocol/error.ts";
import { formatTarget } from "../../protocol/target.ts";
import type { Client } from "../client/client.ts";
import { defineCommand, required } from "../command-line/command.ts";
import { duration, flag, hidden } from "../command-line/options.ts";
import { watchRun } from "../command-line/watch-run.ts";
import { totalInbox } from "../render/listing.ts";
import type { Output } from "../render/output.ts";
import { paramFlags, readParams } from "../command-line/params.ts";
import { commandAfter, reasonFor } from "../render/summary.ts";
import { tagOf } from "../command-line/target.ts";
import { createStderrView } from "../client/watch-events.ts";
import { openWorkflowFile, reportUndelivered, startRequest, withPositions } from "../command-line/workflow-file.ts";

export const command = defineCommand({
  arguments: { file: required("the workflow file") },
  options: {
    events: flag("--events", "print every event as a line of JSON"),
    fresh: flag("--fresh", "start over: delete the messages and documents of earlier runs"),
    idleDebounce: hidden(
      duration("--idle-debounce <duration>", "accepted, but has no effect: the end is detected exactly"),
    ),
    lazy: hidden(flag("--lazy", "accepted, but has no effect: workers start only when there is work")),
  },
  details:
    "The log goes to stderr, and only the run's output to stdout. Ctrl-C stops the run. " +
    "With --no-input or without a terminal, approvals and questions are denied at once. " +
    "Exit codes: 0 completed, 1 failed or dead letters, 2 invalid file, 3 blocked because no one answered, 6 stopped by a limit, " +
    "130 interrupted.",
  examples: [
    ["agent-worker run examples/review.yaml", "run it and show what happens"],
    ["agent-worker run review.yaml --tag pr-123 --fresh", "run another instance, from the beginning"],
    ["agent-worker run review.yaml --target main", "set its param `target`; run review.yaml --help lists all params"],
    ["agent-worker run review.yaml --json | jq .output", "print the result as JSON"],
    ["agent-worker run review.yaml --events | jq -r .type", "print every event as it happens"],
  ],
  extraFlags: paramFlags,
  async run({ args, options, flags, session }) {
    const { output } = session;
    session.prepare();
    const workflow = await openWorkflowFile(args.file, "run", session);
    const params = await readParams(workflow, flags);
    const client = await session.connect();
    // Approvals and questions are shown on stderr: without a terminal, no one would see them.
    const attended = session.globals.input && output.stderr.terminal;
    const request = startRequest(session, workflow, { fresh: options.fresh, params, attended });
    const { project } = request;
    const target = formatTarget({ workflow: workflow.definition.name, tag: tagOf(session) });
    if (!options.fresh) reportUndelivered(await countUndelivered(client, target, project), target, output);
    const listening = new AbortController();
    const events = client.run(request, target, listening.signal);
    const view = options.events ? output.printJsonLine : createStderrView(output, { clock: "elapsed", several: false });
    const { result, signal } = await withPositions(workflow, () =>
      watchRun({ client, output, target, project, events, view }),
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

/** On a terminal the output follows the log, after an empty line. */
function showOutput(text: string, output: Output): void {
  if (text !== "" && output.stdout.terminal && output.stderr.terminal) output.note("");
  output.printText(text);
}

/** Undelivered messages of earlier runs: this run does not deliver them, and the user should know. */
async function countUndelivered(client: Client, target: string, project: string): Promise<number> {
  try {
    const { dead, parked } = totalInbox((await client.workflow(target, project)).agents);
    return dead + parked;
  } catch (error) {
    if (error instanceof AppError && error.code === "not-found") return 0;
    throw error;
  }
}
