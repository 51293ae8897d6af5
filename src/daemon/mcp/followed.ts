/** What a listener reads when it has been told that there is something new. */
import { toToolMessage } from "./tools/show.ts";
import type { Caller, ClientCaller } from "./tool.ts";

const latest = 50;

/** As `inbox_peek` gives it. */
export async function readInbox({ kernel, claim }: Caller): Promise<object> {
  return { messages: (await kernel.peekInbox(claim)).map(toToolMessage) };
}

/** The latest of each instance that runs or ran lately. */
export async function readMessages({ kernel }: ClientCaller): Promise<object> {
  const recent = await kernel.readRecentMessages(latest);
  return {
    workflows: recent.map(({ instance: { name, tag, project }, messages }) => ({
      workflow: name,
      tag,
      project,
      messages: messages.map(toToolMessage),
    })),
  };
}
