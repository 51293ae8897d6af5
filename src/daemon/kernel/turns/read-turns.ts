/** Reads turns for people: one with its messages, or the latest of many. */
import { AppError } from "../../../protocol/error.ts";
import type { Origin } from "../../../protocol/http/origin.ts";
import type { TurnResponse } from "../../../protocol/http/turns.ts";
import { formatTarget } from "../../../protocol/target.ts";
import type { Turn } from "../../../protocol/turn.ts";
import type { Instance } from "../../store/data.ts";
import type { Kernel } from "../kernel.ts";
import { findTarget, recentInstances } from "../operate/find-target.ts";

const maxDeliveries = 1_000;

export async function describeTurn({ store }: Pick<Kernel, "store">, id: string): Promise<TurnResponse> {
  const found = await store.turn(id);
  const instance = found && (await store.instance(found.instance));
  if (!found || !instance) throw new AppError("not-found", `there is no turn ${id}`);
  return {
    turn: found.turn,
    target: formatTarget({ agent: found.turn.agent, workflow: instance.name, tag: instance.tag }),
    deliveries: await store.deliveries(instance.id, { turn: id, limit: maxDeliveries }),
    messages: await store.turnMessages(id),
  };
}

/** The turns of an agent, of an instance, or of all running and recent instances; newest first. */
export async function listTurns(
  kernel: Pick<Kernel, "store">,
  { target, origin, limit }: { target?: string; origin: Origin; limit: number },
): Promise<(Turn & { target: string })[]> {
  const places = await placesOf(kernel, target, origin);
  const found = await Promise.all(
    places.map(async ({ instance, agent }) => {
      const turns = await kernel.store.turns(instance.id, { agent: agent ?? undefined, limit });
      const { name: workflow, tag } = instance;
      return turns.map((turn) => ({ ...turn, target: formatTarget({ agent: turn.agent, workflow, tag }) }));
    }),
  );
  return found
    .flat()
    .sort((a, b) => b.startedAt - a.startedAt)
    .slice(0, limit);
}

async function placesOf(
  kernel: Pick<Kernel, "store">,
  target: string | undefined,
  origin: Origin,
): Promise<{ instance: Instance; agent: string | null }[]> {
  if (target !== undefined) return [await findTarget(kernel, target, origin)];
  return (await recentInstances(kernel)).map((instance) => ({ instance, agent: null }));
}
