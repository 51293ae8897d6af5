/** The steps of a workflow in the order of its file, each with the name it has in the journal. */
import type {
  ParallelTask,
  SendTask,
  SetupStep,
  ShellTask,
  Task,
  WorkflowDefinition,
} from "../protocol/definition/definition.ts";

/** A step that does something itself; a group of parallel ones is known by its members. */
export type Step = { name: string; position: number; step: SetupStep | ShellTask | SendTask | ParallelTask };

/** Where the tasks of a group stand: which, and how many of them at a time. */
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

/** Every step, groups included, in the order of the file. */
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
