/** Finds the instance of a target: in the current folder first, otherwise the only one with that name; and the instance of a turn. */
import { AppError } from "../../../protocol/error.ts";
import type { Origin } from "../../../protocol/http/origin.ts";
import { type Target, formatTarget, globalWorkflow, innermost, parseTarget } from "../../../protocol/target.ts";
import { nearest } from "../../../text/suggest.ts";
import type { Claim, Instance } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";

type Instances = { store: Store };

/** How many ended instances an overview includes. */
const maxShown = 50;

export async function findInstance({ store }: Instances, target: Target, origin: Origin): Promise<Instance> {
  const named = await store.instances({ name: target.workflow, tag: target.tag });
  const label = formatTarget({ workflow: target.workflow, tag: target.tag });
  if (target.workflow === globalWorkflow) {
    if (named[0]) return named[0];
    throw new AppError("not-found", "there are no standalone agents yet", {
      actions: [{ do: "create-agent", name: target.agent }],
      ...(target.agent !== undefined && { details: { agent: target.agent } }),
    });
  }
  const here = origin.project
    ? named.filter(({ project }) => project === origin.project)
    : innermost(named, origin.cwd ?? "");
  const found = here.length > 0 || origin.project ? here : named;
  if (found.length === 1 && found[0]) return found[0];
  if (found.length === 0) throw await unknownWorkflow(store, label, target);
  const projects = found.map(({ project }) => project);
  throw new AppError("ambiguous-target", `${label} exists in several folders: ${projects.join(", ")}`, {
    actions: [{ do: "choose-project", projects }],
  });
}

/** For overviews: running instances and the latest of the others. Limited, since each can have its own database to open. */
export async function recentInstances({ store }: Instances): Promise<Instance[]> {
  const all = await store.instances();
  const ended = all.filter(({ state }) => state !== "running");
  const running = all.filter(({ state }) => state === "running");
  return [...ended, ...running].slice(-maxShown);
}

/** The instance and, if the target names an agent, that agent's name as it is spelled in the definition. */
export async function findTarget(
  { store }: Instances,
  text: string,
  origin: Origin,
): Promise<{ instance: Instance; agent: string | null }> {
  const target = parseTarget(text);
  const instance = await findInstance({ store }, target, origin);
  if (target.agent === undefined) return { instance, agent: null };
  const names = (await store.agentInfos(instance.id)).map(({ name }) => name);
  const agent = names.find((name) => name.toLowerCase() === target.agent?.toLowerCase());
  if (agent) return { instance, agent };
  const [close] = nearest(target.agent, names, 1);
  const where = instance.name === globalWorkflow ? "" : ` in @${instance.name}`;
  const there = names.length > 0 ? `; available: ${names.slice(0, 10).join(", ")}` : "";
  throw new AppError("not-found", `no agent '${target.agent}'${where}${there}`, {
    details: { agent: target.agent },
    ...(close && {
      hint: `did you mean ${formatTarget({ agent: close, workflow: instance.name, tag: instance.tag })}?`,
    }),
  });
}

/** The instance of a turn. */
export async function instanceOfTurn({ store }: Instances, claim: Claim): Promise<Instance> {
  const instance = await store.instance(claim.instance);
  if (!instance) throw new AppError("not-found", "this workflow was removed");
  return instance;
}

async function unknownWorkflow(store: Store, label: string, target: Target): Promise<AppError> {
  const all = await store.instances();
  const labels = [...new Set(all.map(({ name, tag }) => formatTarget({ workflow: name, tag })))];
  const [close] = nearest(
    label,
    labels.filter((known) => known !== label),
    1,
  );
  const elsewhere = all.find(({ name, tag }) => name === target.workflow && tag === target.tag);
  return new AppError("not-found", `there is no workflow ${label}${elsewhere ? " in that folder" : ""}`, {
    ...(elsewhere ? { hint: `it exists in ${elsewhere.project}` } : close && { hint: `did you mean ${close}?` }),
  });
}
