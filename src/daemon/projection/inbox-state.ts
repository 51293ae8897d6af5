/** `_state/inbox-state.json`: the open deliveries of each agent. */
import type { Delivery, DeliveryState } from "../../protocol/delivery.ts";
import type { Store } from "../store/store.ts";

const open: DeliveryState[] = ["pending", "claimed", "dead", "parked"];
/** Limit for all inboxes together; the counts include those that are not listed. */
const maxListed = 500;

export async function renderInboxState(store: Store, instance: string): Promise<string> {
  const { target, run, state, agents } = await store.workflowInfo(instance);
  const deliveries = await store.deliveries(instance, { states: open, limit: maxListed });
  const shown = Map.groupBy(
    deliveries.filter(({ message }) => !message.private),
    ({ agent }) => agent.toLowerCase(),
  );
  const inboxes = agents.map(({ name, state: agentState, inbox }) => {
    const messages = (shown.get(name.toLowerCase()) ?? []).map(toEntry);
    return [name, { state: agentState, ...inbox, messages }];
  });
  return `${JSON.stringify({ target, run, state, agents: Object.fromEntries(inboxes) }, null, 2)}\n`;
}

function toEntry({ message: { id, seq, sender, priority }, state, attempts, reason }: Delivery): object {
  return { seq, id, sender, priority, state, attempts, reason };
}
