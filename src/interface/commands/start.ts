/** `start`: starts a workflow that keeps running; for a target, undoes `stop`. */
import { statSync } from "node:fs";
import { AppError } from "../../protocol/error.ts";
import { formatTarget } from "../../protocol/target.ts";
import { defineCommand, required } from "../command-line/command.ts";
import { flag, hidden } from "../command-line/options.ts";
import { watchRun } from "../command-line/watch-run.ts";
import { paramFlags, readParams } from "../command-line/params.ts";
import type { Session } from "../command-line/session.ts";
import { chooseTarget } from "../command-line/target.ts";
import { createView } from "../client/watch-events.ts";
import { openWorkflowFile, reportUndelivered, startRequest, withPositions } from "../command-line/workflow-file.ts";

export const command = defineCommand({
  arguments: { workflow: required("a workflow file, or a stopped workflow or agent") },
  options: {
    background: flag("-d, --background", "return at once and run it in the background"),
    fresh: flag("--fresh", "start over: delete the messages and documents of earlier runs"),
    lazy: hidden(flag("--lazy", "accepted, but has no effect: workers start only when there is work")),
  },
  details: "Without -d, the log is shown and Ctrl-C stops the workflow.",
  examples: [
    ["agent-worker start team.yaml", "start it and show what happens; Ctrl-C stops it"],
    ["agent-worker start team.yaml -d", "start it in the background"],
    ["agent-worker start @team", "undo `stop` and resume parked work"],
  ],
  extraFlags: paramFlags,
  async run({ args, options, flags, session }) {
    if (!isFile(args.workflow)) return await startAgain(session, args.workflow);
    const { output } = session;
    session.prepare();
    const workflow = await openWorkflowFile(args.workflow, "start", session);
    const params = await readParams(workflow, flags);
    const client = await session.connect();
    const attended = session.globals.input;
    const request = startRequest(session, workflow, { fresh: options.fresh, params, attended });
    const answer = await withPositions(workflow, () => client.start(request));
    const { target, project, run } = answer.workflow;
    reportUndelivered(answer.leftover, target, output);
    if (options.background) {
      if (output.json) return output.printJson(answer);
      output.print(`started ${target}`);
      output.next(`agent-worker send ${target} "@… hello"`, "send a message to an agent");
      return output.next(`agent-worker attach ${target}`, "watch it");
    }
    const all = client.events({ target, project, after: answer.cursor, follow: true });
    const events = (async function* () {
      for await (const event of all) if (event.run === run) yield event;
    })();
    const view = createView(output, { clock: "time", several: false });
    const { result, signal } = await watchRun({ client, output, target, project, events, view });
    output.next(`agent-worker start ${target} -d`, "resume open work");
    return signal ?? result?.exitCode ?? 1;
  },
});

/** A path, or the name of an existing file; targets have no slashes and no extension. */
function isFile(word: string): boolean {
  return /[/\\]|\.ya?ml$/i.test(word) || statSync(word, { throwIfNoEntry: false })?.isFile() === true;
}

async function startAgain(session: Session, word: string): Promise<void> {
  const { output, env } = session;
  const target = await chooseTarget(session, word);
  const targetName = formatTarget(target);
  const client = await session.connect();
  const before = target.agent === undefined ? await client.workflow(targetName) : undefined;
  const started =
    target.agent === undefined
      ? client.call("POST /workflows/:target/start", { target: targetName, body: { env } })
      : client.setStopped(targetName, false, env);
  const answer = await started.catch((error: unknown) => {
    throw isUnknown(error) && !word.includes("@") ? noFileOrAgent(word, error) : error;
  });
  if (output.json) return output.printJson(answer);
  output.print(before?.state === "running" ? `${targetName} is already running` : `started ${targetName}`);
  output.next(`agent-worker attach ${targetName}`, "watch it");
}

function isUnknown(error: unknown): error is AppError {
  return error instanceof AppError && error.code === "not-found";
}

/** The word may have been meant as a file, too. */
function noFileOrAgent(word: string, cause: AppError): AppError {
  return new AppError("not-found", `no file and no agent named '${word}'`, {
    hint: cause.hint,
    actions: cause.actions,
    details: cause.details,
    cause,
  });
}
