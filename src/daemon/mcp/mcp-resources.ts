/** The MCP resources that callers can read and subscribe to: a turn its inbox, a client the latest messages. */
import { toToolMessage } from "./tool-message.ts";
import type { Caller, ClientCaller } from "./tool.ts";

const maxMessages = 50;

/** The same messages as `inbox_peek`. */
export async function readInbox({ operations, claim }: Caller): Promise<object> {
  return { messages: (await operations.peekInbox(claim)).map(toToolMessage) };
}

/** The latest messages of each instance that is running or ran recently. */
export async function readMessages({ operations }: ClientCaller): Promise<object> {
  const recent = await operations.readRecentMessages(maxMessages);
  return {
    workflows: recent.map(({ instance: { name, tag, project }, messages }) => ({
      workflow: name,
      tag,
      project,
      messages: messages.map(toToolMessage),
    })),
  };
}
