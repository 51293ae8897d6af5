/** Lists, describes, stops and starts agents for people. */
import { AppError } from "../../../protocol/error.ts";
import type { AgentInfo } from "../../../protocol/instance.ts";
import type { Instance } from "../../store/data.ts";
import type { Kernel } from "../kernel.ts";
import { startAgent, stopAgent } from "./control.ts";

/** The agents of all instances. */
export async function listAgents({ store }: Pick<Kernel, "store">): Promise<AgentInfo[]> {
  const agents: AgentInfo[] = [];
  for (const { id } of await store.instances()) agents.push(...(await store.agentInfos(id)));
  return agents;
}

/** The agents of one instance, given by its id. */
export function listTeam({ store }: Pick<Kernel, "store">, instance: string): Promise<AgentInfo[]> {
  return store.agentInfos(instance);
}

export async function describeAgent(
  { store }: Pick<Kernel, "store">,
  instance: Instance,
  agent: string,
): Promise<AgentInfo> {
  const infos = await store.agentInfos(instance.id);
  const info = infos.find(({ name }) => name.toLowerCase() === agent.toLowerCase());
  if (!info) throw new AppError("not-found", `there is no agent ${agent}`);
  return info;
}

/** Stops or starts an agent, and returns its new state. */
export async function changeAgent(
  kernel: Kernel,
  instance: Instance,
  agent: string,
  { stopped, env }: { stopped: boolean; env?: Record<string, string> },
): Promise<AgentInfo> {
  if (stopped) await stopAgent(kernel, instance, agent);
  else await startAgent(kernel, instance, agent, env);
  return describeAgent(kernel, instance, agent);
}
