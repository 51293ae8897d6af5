/** Lists deliveries for people, and acknowledges them on behalf of an agent. */
import type { Delivery, DeliveryState } from "../../../protocol/delivery.ts";
import { AppError } from "../../../protocol/error.ts";
import { pageSize } from "../../../protocol/limits.ts";
import type { Instance } from "../../store/data.ts";
import type { Kernel } from "../kernel.ts";
import { discard } from "./control.ts";

const openStates: DeliveryState[] = ["pending", "claimed", "dead", "parked"];
/** How many deliveries one `until` can acknowledge; a larger inbox needs another call. */
const maxAcknowledged = 100_000;

/** The deliveries of one agent or all. Default: those that are not done. */
export function listDeliveries(
  { store }: Pick<Kernel, "store">,
  instance: Instance,
  { agent, state }: { agent: string | null; state?: DeliveryState },
): Promise<Delivery[]> {
  const states = state ? [state] : openStates;
  return store.deliveries(instance.id, { agent: agent ?? undefined, states, limit: pageSize });
}

/** Marks deliveries as done: those of `messages`, or all up to the message `until`, an id or a seq. */
export async function acknowledgeDeliveries(
  kernel: Kernel,
  instance: Instance,
  agent: string,
  { messages, until }: { messages?: string[]; until?: string },
): Promise<Delivery[]> {
  return discard(kernel, instance, { agent, messages: messages ?? (await upTo(kernel, instance, agent, until)) });
}

async function upTo(
  { store }: Pick<Kernel, "store">,
  instance: Instance,
  agent: string,
  until: string | undefined,
): Promise<string[]> {
  if (until === undefined) throw new AppError("usage", "give `messages` or `until`");
  const found = await store.message(until);
  const seq = /^\d{1,15}$/.test(until) ? Number(until) : found?.instance === instance.id && found.message.seq;
  if (seq === false) throw new AppError("not-found", `there is no message ${until} in this workflow`);
  const states: DeliveryState[] = ["pending", "dead", "parked"];
  const waiting = await store.deliveries(instance.id, { agent, states, limit: maxAcknowledged });
  return waiting
    .map(({ message }) => message)
    .filter((message) => message.seq <= seq)
    .map(({ id }) => id);
}
