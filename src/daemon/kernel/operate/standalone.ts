/** Standalone agents: the agents of `@global`, an instance of the home that always runs. */
import { nameProblem, globalWorkflow, defaultTag } from "../../../protocol/target.ts";
import type { AgentInput } from "../../../protocol/definition/agent-definition.ts";
import { AppError } from "../../../protocol/error.ts";
import type { AgentInfo } from "../../../protocol/instance.ts";
import { checkAgent } from "../runs/check-definition.ts";
import type { Instance } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import type { Kernel } from "../kernel.ts";
import { planAgentSchedule } from "../schedules/schedule-plan.ts";
import { describeAgent } from "./agents.ts";

export async function createAgent(
  kernel: Kernel,
  { name, definition, cwd, env }: { name: string; definition: AgentInput; cwd: string; env: Record<string, string> },
): Promise<AgentInfo> {
  const problem = nameProblem(name, "agent");
  if (problem) throw new AppError("usage", problem);
  if (definition.ref !== undefined) {
    throw new AppError("usage", "a standalone agent cannot borrow another one", {
      hint: "ref is for the agents of a workflow",
    });
  }
  checkAgent(name, definition);
  const instance = await globalInstance(kernel.store);
  const schedule = planAgentSchedule(name, definition, { env, now: kernel.clock.now() });
  // People talk to it repeatedly, so it keeps its history by default.
  await kernel.store.addAgent(instance.id, name, { history: "thread", ...definition }, cwd, schedule);
  kernel.environments.set(instance.id, env);
  kernel.schedules.checkDue();
  return describeAgent(kernel, instance, name);
}

/** Removes an agent: ends its worker, discards its deliveries, and returns what it was. */
export async function removeAgent(kernel: Kernel, instance: Instance, agent: string): Promise<AgentInfo> {
  if (instance.name !== globalWorkflow) {
    throw new AppError("usage", `${agent} is part of the workflow ${instance.name}`, {
      hint: "remove it from the workflow file, or stop it",
    });
  }
  const info = await describeAgent(kernel, instance, agent);
  await kernel.store.removeAgent(instance.id, agent);
  await kernel.scheduler.interrupt(instance.id, agent);
  return info;
}

async function globalInstance(store: Store): Promise<Instance> {
  const [existing] = await store.instances({ name: globalWorkflow });
  if (existing) return existing;
  const { instance } = await store.openRun({
    definition: { name: globalWorkflow, agents: {} },
    tag: defaultTag,
    project: "",
    dir: "",
    mode: "start",
    fresh: false,
  });
  await store.kickoff(instance.id, null);
  return instance;
}
