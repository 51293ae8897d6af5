/** `start`: a workflow that stays alive; or, for a target, the end of its `stop`. */
import { statSync } from "node:fs";
import { AppError } from "../../protocol/error.ts";
import { formatTarget } from "../../protocol/target.ts";
import { defineCommand, required } from "../command-line/command.ts";
import { flag, hidden } from "../command-line/options.ts";
import { conduct } from "../command-line/conduct.ts";
import { paramFlags, readParams } from "../command-line/params.ts";
import type { Session } from "../command-line/session.ts";
import { chooseTarget } from "../command-line/target.ts";
import { createView } from "../render/view.ts";
import { openWorkflowFile, reportLeftover, startRequest, withPositions } from "../command-line/workflow-file.ts";

export const command = defineCommand({
  arguments: { what: required("a workflow file; or a stopped workflow or agent, to undo `stop`") },
  options: {
    background: flag("-d, --background", "return at once and leave it running"),
    fresh: flag("--fresh", "forget what earlier runs of this instance left"),
    lazy: hidden(flag("--lazy", "accepted; workers start only when there is work")),
  },
  details: "Without -d the log is shown, and Ctrl-C stops the workflow.",
  examples: [
    ["agent-worker start team.yaml", "starts it and shows what happens; Ctrl-C stops it"],
    ["agent-worker start team.yaml -d", "starts it and returns"],
    ["agent-worker start @team", "undoes `stop`: what was parked goes on"],
  ],
  further: paramFlags,
  async run({ args, options, flags, session }) {
    if (!isFile(args.what)) return await startAgain(session, args.what);
    const { output } = session;
    session.prepare();
    const workflow = await openWorkflowFile(args.what, "start", session);
    const params = await readParams(workflow, flags);
    const client = await session.connect();
    const attended = session.globals.input;
    const request = startRequest(session, workflow, { fresh: options.fresh, params, attended });
    const answer = await withPositions(workflow, () => client.start(request));
    const { target, project, run } = answer.workflow;
    reportLeftover(answer.leftover, target, output);
    if (options.background) {
      if (output.json) return output.printJson(answer);
      output.print(`started ${target}`);
      output.next(`agent-worker send ${target} "@… hello"`, "wakes an agent");
      return output.next(`agent-worker attach ${target}`, "watches it");
    }
    const all = client.events({ target, project, after: answer.cursor, follow: true });
    const events = (async function* () {
      for await (const event of all) if (event.run === run) yield event;
    })();
    const view = createView(output, { clock: "time", several: false });
    const { result, signal } = await conduct({ client, output, target, project, events, view });
    output.next(`agent-worker start ${target} -d`, "goes on with what is open");
    return signal ?? result?.exitCode ?? 1;
  },
});

/** A path, or the name of a file that is there; targets have no slashes and no ending. */
function isFile(word: string): boolean {
  return /[/\\]|\.ya?ml$/i.test(word) || statSync(word, { throwIfNoEntry: false })?.isFile() === true;
}

async function startAgain(session: Session, word: string): Promise<void> {
  const { output, env } = session;
  const target = await chooseTarget(session, word);
  const written = formatTarget(target);
  const client = await session.connect();
  const before = target.agent === undefined ? await client.workflow(written) : undefined;
  const asked =
    target.agent === undefined
      ? client.call("POST /workflows/:target/start", { target: written, body: { env } })
      : client.setStopped(written, false, env);
  const answer = await asked.catch((error: unknown) => {
    throw isUnknown(error) && !word.includes("@") ? neither(word, error) : error;
  });
  if (output.json) return output.printJson(answer);
  output.print(before?.state === "running" ? `${written} was started before, and goes on` : `started ${written}`);
  output.next(`agent-worker attach ${written}`, "watches it");
}

function isUnknown(error: unknown): error is AppError {
  return error instanceof AppError && error.code === "not-found";
}

/** Such a word may have been meant as a file, too. */
function neither(word: string, cause: AppError): AppError {
  return new AppError("not-found", `there is neither a file nor an agent '${word}'`, {
    hint: cause.hint,
    actions: cause.actions,
    details: cause.details,
    cause,
  });
}
