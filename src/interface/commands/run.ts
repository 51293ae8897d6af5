/** `run`: one workflow, from its kickoff to the moment when nothing is left to do. */
import { formatTarget } from "../../protocol/target.ts";
import { conduct } from "../conduct.ts";
import { defineCommand, duration, flag, hidden, required } from "../command.ts";
import type { Session } from "../session.ts";
import { commandAfter } from "../summary.ts";
import { plural } from "../text.ts";
import { createSideView, type View } from "../view.ts";
import { openWorkflowFile, startRequest } from "../workflow-file.ts";

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
    "Exit codes: 0 done, 1 failed or dead letters, 2 invalid file, 6 stopped by a limit, 130 interrupted.",
  examples: [
    ["agent-worker run examples/review.yaml", "runs it and shows what happens"],
    ["agent-worker run review.yaml --tag pr-123 --fresh", "another instance, from the beginning"],
    ["agent-worker run review.yaml --json | jq .output", "one result for a program"],
    ["agent-worker run review.yaml --events | jq -r .type", "everything, as it happens"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const [workflow, client] = await Promise.all([openWorkflowFile(args.file, "run", output), session.connect()]);
    const request = startRequest(session, workflow, options.fresh);
    const target = formatTarget({ workflow: workflow.name, tag: request.tag });
    const { project } = request;
    const listening = new AbortController();
    const events = client.run(request, target, listening.signal);
    const view = options.events ? output.printJsonLine : withLeftovers(session, target, project);
    const { result, signal } = await conduct({ client, output, target, project, events, view });
    if (result && output.json && !options.events) output.printJson(result);
    else if (result && !options.events) {
      if (output.quiet && result.status !== "completed") output.warn(`${target} ${result.status}: ${result.reason ?? ""}`);
      output.next(...commandAfter(result, target));
      output.printText(result.output);
    }
    return signal ?? result?.exitCode ?? 1;
  },
});

