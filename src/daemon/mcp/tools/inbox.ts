/** Inbox tools: the messages that an agent has to handle, and those that it acknowledges. */
import { z } from "zod";
import { InboxAckInput, InboxAckResult, InboxCheckResult } from "../../../protocol/tools/inbox.ts";
import { oneLine } from "../../../text/frame.ts";
import { formatMessages, toToolMessage } from "../tool-message.ts";
import { type Caller, type Tool, defineTool } from "../tool.ts";

const maxShownChars = 200;

/** What earlier attempts of a turn did. */
type Earlier = Awaited<ReturnType<Caller["operations"]["checkInbox"]>>["earlier"];

const inboxCheck = defineTool({
  name: "inbox_check",
  title: "Check the inbox",
  description:
    "Read all messages addressed to you that you have not acknowledged, high priority first, including those that arrived during this turn.",
  input: z.object({}),
  output: InboxCheckResult,
  readOnly: false,
  idempotent: true,
  async run({ operations, claim }) {
    const { messages, earlier: done } = await operations.checkInbox(claim);
    const earlier = earlierLines(done);
    const shown = formatMessages(messages, "Your inbox is empty.");
    const before =
      earlier.length > 0 ? `\n\nEarlier attempts of this turn already did this:\n${earlier.join("\n")}` : "";
    return { text: shown + before, result: { messages: messages.map(toToolMessage), earlier } };
  },
});

const inboxPeek = defineTool({
  name: "inbox_peek",
  title: "Peek at the inbox",
  description: "See which messages are waiting for you, without claiming them for this turn.",
  input: z.object({}),
  output: InboxCheckResult,
  readOnly: true,
  idempotent: true,
  async run({ operations, claim }) {
    const messages = await operations.peekInbox(claim);
    return {
      text: formatMessages(messages, "Your inbox is empty."),
      result: { messages: messages.map(toToolMessage), earlier: [] },
    };
  },
});

const inboxAck = defineTool({
  name: "inbox_ack",
  title: "Acknowledge messages",
  description:
    "Mark messages as handled: by their ids, or all up to one. Messages that you do not acknowledge are marked when your turn succeeds.",
  input: InboxAckInput,
  output: InboxAckResult,
  readOnly: false,
  idempotent: true,
  async run({ operations, claim }, which) {
    const { acked, claimed } = await operations.acknowledge(claim, which);
    return {
      text: `Acknowledged ${acked.length} of ${claimed} messages.`,
      result: { acked: acked.map(({ id }) => id) },
    };
  },
});

/** Older names of the same tool. */
const aliases = ["inbox_read", "channel_mentions"].map((name): Tool => ({
  ...inboxCheck,
  name,
  title: `${inboxCheck.title} (same as inbox_check)`,
}));

export const inboxTools = [inboxCheck, inboxPeek, inboxAck, ...aliases];

function earlierLines({ messages, calls }: Earlier): string[] {
  return [
    ...messages.map(
      ({ seq, recipients, content }) =>
        `sent #${seq}${recipients.length > 0 ? ` to ${recipients.join(", ")}` : ""}: ${clip(content)}`,
    ),
    ...calls.map(({ tool, args }) => `called ${tool} ${clip(args)}`),
  ];
}

function clip(text: string): string {
  const line = oneLine(text);
  return line.length > maxShownChars ? `${line.slice(0, maxShownChars)}…` : line;
}
