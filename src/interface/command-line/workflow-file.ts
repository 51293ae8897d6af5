/** Prepares a workflow file for `run` or `start`: loads it, checks it, prints its warnings. */
import { AppError } from "../../protocol/error.ts";
import type { StartRequestInput } from "../../protocol/http/workflows.ts";
import type { LoadedWorkflow } from "../../workflow/load.ts";
import type { Output } from "../render/output.ts";
import type { Session } from "./session.ts";
import { tagOf } from "./target.ts";
import { plural, printable } from "../../text/terminal.ts";

/** A kickoff that wakes no agent is an error for `run`, but not for `start`, which waits for messages. */
export async function openWorkflowFile(
  file: string,
  purpose: "run" | "start",
  { output, env }: Session,
): Promise<LoadedWorkflow> {
  // Imported only here: the parser and the schema take longer to load than most commands take to run.
  const { loadWorkflow } = await import("../../workflow/load.ts");
  const workflow = await loadWorkflow(file, { mustWork: purpose === "run", env });
  await reportWarnings(workflow, output);
  return workflow;
}

export async function reportWarnings({ warnings, source, file }: LoadedWorkflow, output: Output): Promise<void> {
  if (warnings.length === 0) return;
  const { formatDiagnostics } = await import("../../workflow/diagnostics/diagnostic.ts");
  output.note(printable(formatDiagnostics(warnings, source, file)));
}

/** Adds positions in the file to the errors that the daemon finds in the workflow. */
export async function withPositions<Result>(
  { source, file }: LoadedWorkflow,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid-workflow") throw error;
    const { addPositions } = await import("../../workflow/diagnostics/add-positions.ts");
    throw addPositions(error, source, file);
  }
}

export function startRequest(
  session: Session,
  { input, dir }: LoadedWorkflow,
  { fresh, params, attended }: Required<Pick<StartRequestInput, "fresh" | "params" | "attended">>,
): StartRequestInput {
  const { cwd, project = cwd, env } = session;
  return { definition: input, project, dir, tag: tagOf(session), env, fresh, params, attended };
}

export function reportUndelivered(count: number, target: string, output: Output): void {
  if (count === 0) return;
  output.note(`${plural(count, "message")} from earlier runs ${count === 1 ? "is" : "are"} still parked or dead`);
  output.next(`agent-worker inbox ${target}`, "list them; --fresh deletes them");
}
