/** What a client gives as a definition is checked like a file: its shape at the door, its sense here. */
import type { AgentInput, WorkflowInput } from "../../protocol/definition.ts";
import { AppError } from "../../protocol/error.ts";
import type { RunMode } from "../../protocol/instance.ts";
import { tagProblem } from "../../protocol/target.ts";
import { checkWorkflow } from "../../workflow/check.ts";
import { type Diagnostic, formatDiagnostics } from "../../workflow/diagnostic.ts";

/** Throws `invalid-workflow`, with all that is wrong, unless the workflow can be started. */
export function checkStart({ definition, tag }: { definition: WorkflowInput; tag: string }, mode: RunMode): void {
  const problem = tagProblem(tag);
  if (problem) throw new AppError("usage", problem);
  refuse(checkWorkflow(definition, { mustWork: mode === "run" }));
}

/** The same for an agent of its own. */
export function checkAgent(name: string, definition: AgentInput): void {
  refuse(checkWorkflow({ name: "standalone", agents: { [name]: definition } }));
}

function refuse(diagnostics: Diagnostic[]): void {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new AppError("invalid-workflow", formatDiagnostics(errors), { details: errors });
}
