/** `setup`: shell steps in order, before anything else. */
import { setupStepName } from "../../../workflow/steps.ts";
import type { Spawn } from "../../process/spawn.ts";
import type { Instance } from "../../store/data.ts";
import { runShellStep } from "./shell-step.ts";
import { type StepsOptions, takeStep, titleOf } from "./step.ts";
import { scopeOf } from "../turns/turn-spec.ts";

/** Runs the remaining setup steps of an instance. False: it was stopped. Throws if a step fails. */
export async function runSetup(instance: Instance, options: StepsOptions & { spawn: Spawn }): Promise<boolean> {
  const { store, env, signal } = options;
  const journal = await store.steps(instance.id);
  const finished = new Set(journal.filter(({ state }) => state === "done").map(({ step }) => step));
  const scope = await scopeOf(store, instance, env);
  for (const [position, step] of instance.definition.setup.entries()) {
    const name = setupStepName(position);
    if (finished.has(name)) continue;
    const { as } = step;
    const output = await takeStep(instance, { name, position, title: titleOf(step.shell), as }, options, () =>
      runShellStep(instance, step, scope, options),
    );
    if (output === null) return false;
    if (as !== undefined) scope.captured[as] = output;
  }
  return !signal.aborted;
}
