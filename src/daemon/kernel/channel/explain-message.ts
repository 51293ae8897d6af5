/** The history of one message: its recipients, the turns that handled it, and its events. */
import { AppError } from "../../../protocol/error.ts";
import type { Why } from "../../../protocol/http/messages.ts";
import { formatTarget } from "../../../protocol/target.ts";
import type { Kernel } from "../kernel.ts";

const maxDeliveries = 1_000;

export async function explainMessage({ store }: Pick<Kernel, "store">, id: string): Promise<Why> {
  const found = await store.message(id);
  const instance = found && (await store.instance(found.instance));
  if (!found || !instance) {
    throw new AppError("not-found", `there is no message ${id}`, { actions: [{ do: "read-messages" }] });
  }
  return {
    message: found.message,
    target: formatTarget({ workflow: instance.name, tag: instance.tag }),
    project: instance.project,
    deliveries: await store.deliveries(instance.id, { message: id, limit: maxDeliveries }),
    turns: await store.turnsOf(id),
    events: await store.eventsOf(id),
  };
}
