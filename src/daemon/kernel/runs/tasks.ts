/** `tasks`: steps in order, some in parallel. Each runs once; after a crash the remaining ones are resumed. */
import type { ParallelTask, Task } from "../../../protocol/definition/definition.ts";
import { AppError } from "../../../protocol/error.ts";
import { readCondition } from "../../../workflow/expression/condition.ts";
import { type Scope, evaluateCondition } from "../../../workflow/expression/interpolate.ts";
import { branchesOf, listSteps, taskName } from "../../../workflow/steps.ts";
import type { Spawn } from "../../process/spawn.ts";
import type { Instance } from "../../store/data.ts";
import { DeliveryWatch } from "../channel/delivery-watch.ts";
import type { Wake } from "../ports.ts";
import { runSendStep } from "./send-step.ts";
import { runShellStep } from "./shell-step.ts";
import { type StepsOptions, takeStep, titleOf } from "./step.ts";
import { scopeOf } from "../turns/turn-spec.ts";

type TasksOptions = StepsOptions & { spawn: Spawn; wake: Wake };

/** Shared by all tasks of one run. */
type Tasks = {
  instance: Instance;
  options: TasksOptions;
  /** Grows with the outputs that tasks capture. */
  scope: Scope;
  finished: ReadonlySet<string>;
  positions: ReadonlyMap<string, number>;
  watch: DeliveryWatch;
};

/** Runs the remaining tasks of an instance. False: they were stopped. Throws if one fails. */
export async function runTasks(instance: Instance, options: TasksOptions): Promise<boolean> {
  const { store, env, signal } = options;
  const over = new AbortController();
  const journal = await store.steps(instance.id);
  const tasks: Tasks = {
    instance,
    options,
    scope: await scopeOf(store, instance, env),
    finished: new Set(journal.filter(({ state }) => state === "done").map(({ step }) => step)),
    positions: new Map(listSteps(instance.definition).map(({ name, position }) => [name, position])),
    watch: new DeliveryWatch(store, instance.id, AbortSignal.any([signal, over.signal])),
  };
  try {
    for (const [index, task] of instance.definition.tasks.entries()) {
      if (!(await runTask(tasks, task, taskName(index)))) return false;
    }
    return !signal.aborted;
  } finally {
    over.abort();
  }
}

async function runTask(tasks: Tasks, task: Task, name: string): Promise<boolean> {
  const { instance, options, scope, finished, positions, watch } = tasks;
  if (options.signal.aborted) return false;
  if (finished.has(name)) return true;
  // A group has a record only if it is skipped or rejected; otherwise its members have theirs.
  if ("parallel" in task && isSurelyMet(task, scope)) return await runBranches(tasks, task, name);
  const as = "parallel" in task ? undefined : task.as;
  const title = { name, position: positions.get(name) ?? 0, title: describe(task), as };
  const output = await takeStep(instance, title, options, async () => {
    if (!isMet(task, scope) || "parallel" in task) return { skipped: "skipped: its condition is not met" };
    if ("shell" in task) return await runShellStep(instance, task, scope, options);
    return await runSendStep(instance, name, task, scope, { ...options, watch });
  });
  if (output === null) return false;
  if (as !== undefined) scope.captured[as] = output;
  return true;
}

/** All end before the next task starts. If one fails, no other starts, and the running ones finish. */
async function runBranches(tasks: Tasks, group: ParallelTask, name: string): Promise<boolean> {
  const { max, tasks: branches } = branchesOf(group);
  const waiting = [...branches.entries()];
  let failure: { error: unknown } | undefined;
  let isStopped = false;
  const work = async () => {
    for (let next = waiting.shift(); next && !failure && !isStopped; next = waiting.shift()) {
      const [index, task] = next;
      try {
        if (!(await runTask(tasks, task, taskName(index, name)))) isStopped = true;
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(max, branches.length) }, work));
  if (failure) throw failure.error;
  return !isStopped;
}

function isMet({ if: condition = true }: Task, scope: Scope): boolean {
  if (typeof condition === "boolean") return condition;
  const read = readCondition(condition);
  return "source" in read && evaluateCondition(read.source, scope);
}

/** Also false if the condition cannot be evaluated; the step then reports that. */
function isSurelyMet(task: Task, scope: Scope): boolean {
  try {
    return isMet(task, scope);
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

function describe(task: Task): string {
  if ("shell" in task) return titleOf(task.shell);
  if ("send" in task) return titleOf(`${task.to}: ${task.send.trim()}`);
  return `${branchesOf(task).tasks.length} tasks in parallel`;
}
