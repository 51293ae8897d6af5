/** A shell step: runs its script in a worker, with the caller's folder and environment. */
import { resolve } from "node:path";
import type { SetupStep } from "../../../protocol/definition/definition.ts";
import { type Scope, interpolate } from "../../../workflow/expression/interpolate.ts";
import { compileShell } from "../../../workflow/shell/shell.ts";
import type { Spawn } from "../../process/spawn.ts";
import type { Instance } from "../../store/data.ts";
import { startAttempt } from "../turns/attempt.ts";
import type { StepOutcome, StepsOptions } from "./step.ts";

/** Null: it was stopped. */
export async function runShellStep(
  instance: Instance,
  step: SetupStep,
  scope: Scope,
  { spawn, clock, env, signal }: StepsOptions & { spawn: Spawn },
): Promise<StepOutcome | null> {
  const text = (template: string) => interpolate(template, scope).text;
  const own = Object.fromEntries(Object.entries(step.env).map(([key, value]) => [key, text(value)]));
  const attempt = startAttempt({
    spawn,
    clock,
    timeoutMs: step.timeout,
    spec: {
      kind: "shell",
      ...compileShell(step.shell).render(scope),
      cwd: step.cwd ? resolve(instance.project, text(step.cwd)) : instance.project,
      env: { ...env, ...own },
    },
  });
  const stop = () => void attempt.stop();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const outcome = await attempt.ended;
  signal.removeEventListener("abort", stop);
  if (outcome === "stopped") return null;
  if (outcome.status === "failed") return { reason: outcome.failure.message, code: "failed" };
  return { output: outcome.text };
}
