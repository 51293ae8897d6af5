/** Lists, sets and clears schedules for people. */
import { AppError } from "../../../protocol/error.ts";
import type { ScheduleInfo, ScheduleInput } from "../../../protocol/schedule.ts";
import { formatTarget } from "../../../protocol/target.ts";
import { paramNames } from "../../../workflow/check/check-params.ts";
import { baseNames, capturesOf } from "../../../workflow/check/check-steps.ts";
import { checkTemplate } from "../../../workflow/check/check-template.ts";
import { scheduleProblem } from "../../../workflow/schedule.ts";
import type { Instance, StoredSchedule } from "../../store/data.ts";
import type { Kernel } from "../kernel.ts";
import { planSchedule } from "./schedule-plan.ts";
import { checkedDraft } from "../channel/send.ts";

/** Replaces an agent's schedule. Default prompt: the one of its definition. */
export async function setSchedule(
  { store, clock, environments, schedules }: Kernel,
  instance: Instance,
  agent: string,
  { schedule, prompt }: { schedule: ScheduleInput; prompt?: string },
): Promise<ScheduleInfo> {
  const problem = scheduleProblem(schedule) ?? (prompt === undefined ? undefined : promptProblem(instance, prompt));
  if (problem) throw new AppError("usage", problem.message, { hint: problem.hint });
  if (instance.definition.context === false)
    throw new AppError("usage", `${instance.name} has context: false, so there is no channel for a schedule`);
  const own = (await store.agents(instance.id)).find(({ name }) => name === agent)?.definition;
  const moment = { env: environments.of(instance.id), now: clock.now() };
  const planned = planSchedule(agent, { schedule, prompt: prompt ?? own?.schedule_prompt }, moment);
  const set = await store.setSchedule(instance.id, planned);
  schedules.checkDue();
  return describe(instance, set);
}

/** The schedules of one agent or all. */
export async function listSchedules(
  { store }: Pick<Kernel, "store">,
  instance: Instance,
  agent: string | null,
): Promise<ScheduleInfo[]> {
  const found = (await store.schedules(instance.id)).filter((each) => agent === null || each.agent === agent);
  return found.map((each) => describe(instance, each));
}

/** Clears the schedules of one agent or all; returns them. */
export async function clearSchedules(
  { store }: Pick<Kernel, "store">,
  instance: Instance,
  agent: string | null,
): Promise<ScheduleInfo[]> {
  return (await store.clearSchedules(instance.id, agent)).map((each) => describe(instance, each));
}

function describe({ name, tag }: Instance, scheduled: StoredSchedule): ScheduleInfo {
  const { agent, schedule, prompt, nextAt, lastAt, active } = scheduled;
  const target = formatTarget({ agent, workflow: name, tag });
  return { agent, target, schedule, prompt, nextAt, lastAt, active };
}

/** Rejects a prompt that could not be sent, or that refers to something the instance does not have. */
function promptProblem(
  { definition }: Instance,
  prompt: string,
): { message: string; hint?: string | undefined } | undefined {
  checkedDraft("user", { content: prompt });
  const types = paramNames(definition.params);
  const names = new Set([...capturesOf([definition.setup, definition.tasks]), ...baseNames(types)]);
  return checkTemplate(prompt, [], { names, types, environment: true })[0];
}
