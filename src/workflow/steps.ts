/** The steps of a workflow in the order of its file, each with its name in the journal. */
import type {
  ParallelTask,
  SendTask,
  SetupStep,
  ShellTask,
  Task,
  WorkflowDefinition,
} from "../protocol/definition/definition.ts";

/** One step; `position` is its index in the order of the file. */
export type Step = { name: string; position: number; step: SetupStep | ShellTask | SendTask | ParallelTask };

/** The tasks of a parallel group, and how many of them run at a time. */
export function branchesOf({ parallel }: ParallelTask): { max: number; tasks: Task[] } {
  if (Array.isArray(parallel)) return { max: parallel.length, tasks: parallel };
  return { max: parallel.max ?? parallel.tasks.length, tasks: parallel.tasks };
}

export function setupStepName(index: number): string {
  return `setup[${index}]`;
}

/** `tasks[2]`, or `tasks[2].parallel[0]` within a group. */
export function taskName(index: number, group?: string): string {
  return group === undefined ? `tasks[${index}]` : `${group}.parallel[${index}]`;
}

/** Every step, including parallel groups, in the order of the file. */
export function listSteps({ setup, tasks }: Pick<WorkflowDefinition, "setup" | "tasks">): Step[] {
  const steps: Step[] = setup.map((step, index) => ({ name: setupStepName(index), position: index, step }));
  const visit = (list: Task[], group?: string) => {
    for (const [index, step] of list.entries()) {
      const name = taskName(index, group);
      steps.push({ name, position: steps.length, step });
      if ("parallel" in step) visit(branchesOf(step).tasks, name);
    }
  };
  visit(tasks);
  return steps;
}
