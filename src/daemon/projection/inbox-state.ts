/** `_state/inbox-state.json`: who is owed what. */
import type { Store } from "../store/store.ts";

/** Of each agent, the first in the order of its inbox; the counts tell of all. */
const listedPerAgent = 100;

export async function renderInboxState(store: Store, workflow: string): Promise<string> {
  const { target, run, state, agents } = await store.workflowInfo(workflow);
  const inboxes: Record<string, object> = {};
  for (const { name, state: doing, inbox } of agents) {
    const { pending, claimed, dead, parked } = inbox;
    const isEmpty = pending + claimed + dead + parked === 0;
    inboxes[name] = { state: doing, ...inbox, messages: isEmpty ? [] : await listOpen(store, workflow, name) };
  }
  return `${JSON.stringify({ target, run, state, agents: inboxes }, null, 2)}\n`;
}

async function listOpen(store: Store, workflow: string, agent: string): Promise<object[]> {
  const states = ["pending", "claimed", "dead", "parked"] as const;
  const deliveries = await store.deliveries(workflow, { agent, states: [...states], limit: listedPerAgent });
  return deliveries
    .filter(({ message }) => !message.private)
    .map(({ message: { id, seq, sender, priority }, state, attempts, reason }) => ({
      seq,
      id,
      sender,
      priority,
      state,
      attempts,
      reason,
    }));
}
