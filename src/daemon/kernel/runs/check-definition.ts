/** Checks a client's definition like a file: the API has checked its shape, this checks its meaning. */
import { z } from "zod";
import type { AgentInput } from "../../../protocol/definition/agent-definition.ts";
import { ParamDefinition, type ParamValue, type WorkflowInput } from "../../../protocol/definition/definition.ts";
import { AppError } from "../../../protocol/error.ts";
import type { RunMode } from "../../../protocol/instance.ts";
import { tagProblem } from "../../../protocol/target.ts";
import { checkWorkflow } from "../../../workflow/check/check.ts";
import { type Diagnostic, formatDiagnostics } from "../../../workflow/diagnostics/diagnostic.ts";
import { resolveParams } from "../../../workflow/params.ts";

type Start = { definition: WorkflowInput; tag: string; params?: Record<string, ParamValue> };

/** The values of its params; throws `usage` or `invalid-workflow` with all problems if it cannot be started. */
export function checkStart({ definition, tag, params = {} }: Start, mode: RunMode): Record<string, ParamValue> {
  const problem = tagProblem(tag);
  if (problem) throw new AppError("usage", problem);
  refuse(checkWorkflow(definition, { mustWork: mode === "run" }));
  const { values, problems } = resolveParams(z.array(ParamDefinition).parse(definition.params ?? []), params);
  if (problems.length > 0) throw new AppError("usage", problems.join("\n"), { details: problems });
  return values;
}

/** The same for a standalone agent. */
export function checkAgent(name: string, definition: AgentInput): void {
  refuse(checkWorkflow({ name: "standalone", agents: { [name]: definition } }));
}

function refuse(diagnostics: Diagnostic[]): void {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new AppError("invalid-workflow", formatDiagnostics(errors), { details: errors });
}
