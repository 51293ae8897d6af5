/** The inbox: what an agent is owed, and what it says it has handled. */
import { z } from "zod";
import type { Delivery } from "../../../protocol/delivery.ts";
import { AppError } from "../../../protocol/error.ts";
import { batchSize } from "../../../protocol/limits.ts";
import { InboxAckInput, InboxAckResult, InboxCheckResult } from "../../../protocol/tools/inbox.ts";
import { showMessages, toToolMessage } from "./show.ts";
import { type Caller, type Tool, defineTool } from "../tool.ts";

const shownChars = 200;
const isoDate = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d)?)?$/;

const inboxCheck = defineTool({
  name: "inbox_check",
  title: "Check the inbox",
  description:
    "Everything addressed to you that you have not acknowledged, high priority first; includes what arrived since.",
  input: z.object({}),
  output: InboxCheckResult,
  readOnly: false,
  idempotent: true,
  async run({ kernel, claim }) {
    const deliveries = await kernel.store.checkInbox(claim);
    const earlier = await earlierLines({ kernel, claim });
    const messages = deliveries.map(({ message }) => message);
    const shown = showMessages(messages, "Your inbox is empty.");
    const before =
      earlier.length > 0 ? `\n\nEarlier attempts of this turn already did this:\n${earlier.join("\n")}` : "";
    return { text: shown + before, result: { messages: messages.map(toToolMessage), earlier } };
  },
});

const inboxPeek = defineTool({
  name: "inbox_peek",
  title: "Peek at the inbox",
  description: "What waits for you, without taking anything on.",
  input: z.object({}),
  output: InboxCheckResult,
  readOnly: true,
  idempotent: true,
  async run({ kernel, claim }) {
    const messages = (await kernel.store.peekInbox(claim)).map(({ message }) => message);
    return {
      text: showMessages(messages, "Your inbox is empty."),
      result: { messages: messages.map(toToolMessage), earlier: [] },
    };
  },
});

const inboxAck = defineTool({
  name: "inbox_ack",
  title: "Acknowledge messages",
  description:
    "Say that you have handled messages: by their ids, or all up to one. What you do not acknowledge is settled when your turn ends well.",
  input: InboxAckInput,
  output: InboxAckResult,
  readOnly: false,
  idempotent: true,
  async run({ kernel, claim }, { ids, until }) {
    if (!ids && until === undefined) throw new AppError("usage", "give `ids` or `until`");
    const held = await kernel.store.deliveries(claim.workflow, {
      agent: claim.agent,
      states: ["claimed"],
      limit: batchSize,
    });
    for (const id of ids ?? []) await checkOwn({ kernel, claim }, id);
    const messages = until === undefined ? [] : upTo(held, until);
    const acked = await kernel.store.ack(claim, { messages: [...(ids ?? []), ...messages] });
    const result = { acked: acked.map(({ message }) => message.id) };
    return { text: `Acknowledged ${result.acked.length} of ${held.length} messages.`, result };
  },
});

/** The names that older designs used for the same tool. */
const aliases = ["inbox_read", "channel_mentions"].map((name): Tool => ({
  ...inboxCheck,
  name,
  title: `${inboxCheck.title} (same as inbox_check)`,
}));

export const inboxTools = [inboxCheck, inboxPeek, inboxAck, ...aliases];

/** An id that is none of the agent's messages is a mistake; one that is settled already is not. */
async function checkOwn({ kernel, claim }: Caller, id: string): Promise<void> {
  const filter = { agent: claim.agent, message: id, limit: 1 };
  if ((await kernel.store.deliveries(claim.workflow, filter)).length > 0) return;
  throw new AppError("not-found", `'${id.slice(0, 40)}' is none of your messages`, {
    hint: "inbox_check shows their ids",
  });
}

/** Ids of the held messages up to one that is named by its id, its seq or a time. */
function upTo(held: Delivery[], until: string): string[] {
  const messages = held.map(({ message }) => message);
  const named = messages.find(({ id }) => id === until)?.seq ?? Number(/^#?(\d{1,10})$/.exec(until)?.[1]);
  const time = /^\d{11,16}$/.test(until) ? Number(until) : isoDate.test(until) ? Date.parse(until) : Number.NaN;
  if (!Number.isNaN(named)) return messages.filter(({ seq }) => seq <= named).map(({ id }) => id);
  if (!Number.isNaN(time)) return messages.filter(({ createdAt }) => createdAt <= time).map(({ id }) => id);
  throw new AppError("usage", `'${until}' is neither a message that you hold, nor a seq, nor a time`);
}

async function earlierLines({ kernel, claim }: Caller): Promise<string[]> {
  const { messages, calls } = await kernel.store.earlierWork(claim);
  return [
    ...messages.map(
      ({ seq, recipients, content }) =>
        `said #${seq}${recipients.length > 0 ? ` to ${recipients.join(", ")}` : ""}: ${clip(content)}`,
    ),
    ...calls.map(({ tool, args }) => `called ${tool} ${clip(args)}`),
  ];
}

function clip(text: string): string {
  return text.length > shownChars ? `${text.slice(0, shownChars)}…` : text;
}
