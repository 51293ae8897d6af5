/** What a listener reads when it has been told that there is something new. */
import { recentInstances } from "../kernel/operate/instances.ts";
import { toToolMessage } from "./tools/show.ts";
import type { Caller, ClientCaller } from "./tool.ts";

const latest = 50;

/** As `inbox_peek` gives it. */
export async function readInbox({ kernel, claim }: Caller): Promise<object> {
  const deliveries = await kernel.store.peekInbox(claim);
  return { messages: deliveries.map(({ message }) => toToolMessage(message)) };
}

/** The latest of each instance that runs or ran lately. */
export async function readMessages({ kernel: { store } }: ClientCaller): Promise<object> {
  const instances = await recentInstances(store);
  const workflows = await Promise.all(
    instances.map(async ({ id, name, tag, project }) => {
      const messages = await store.messages(id, "client", { limit: latest, newest: true });
      return { workflow: name, tag, project, messages: messages.map(toToolMessage) };
    }),
  );
  return { workflows };
}
