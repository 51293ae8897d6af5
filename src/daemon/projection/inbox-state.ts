/** `_state/inbox-state.json`: who is owed what. */
import type { Delivery, DeliveryState } from "../../protocol/delivery.ts";
import type { Store } from "../store/store.ts";

const open: DeliveryState[] = ["pending", "claimed", "dead", "parked"];
/** Of all inboxes together, the first in their order; the counts tell of all. */
const mostListed = 500;

export async function renderInboxState(store: Store, instance: string): Promise<string> {
  const { target, run, state, agents } = await store.workflowInfo(instance);
  const owed = await store.deliveries(instance, { states: open, limit: mostListed });
  const shown = Map.groupBy(
    owed.filter(({ message }) => !message.private),
    ({ agent }) => agent.toLowerCase(),
  );
  const inboxes = agents.map(({ name, state: doing, inbox }) => {
    const messages = (shown.get(name.toLowerCase()) ?? []).map(list);
    return [name, { state: doing, ...inbox, messages }];
  });
  return `${JSON.stringify({ target, run, state, agents: Object.fromEntries(inboxes) }, null, 2)}\n`;
}

function list({ message: { id, seq, sender, priority }, state, attempts, reason }: Delivery): object {
  return { seq, id, sender, priority, state, attempts, reason };
}
