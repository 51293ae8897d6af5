/** The channel: what agents say to each other and read of each other. */
import { AppError } from "../../../protocol/error.ts";
import type { Message } from "../../../protocol/message.ts";
import {
  ChannelPeekInput,
  ChannelReadInput,
  ChannelReadResult,
  ChannelSendInput,
  ChannelSendResult,
} from "../../../protocol/tools/channel.ts";
import { sendFromTurn } from "../../kernel/channel/send.ts";
import { showMessages, toToolMessage } from "./show.ts";
import { type Caller, defineTool } from "../tool.ts";

const readByDefault = 50;
const peekByDefault = 10;

const channelSend = defineTool({
  name: "channel_send",
  title: "Send a message",
  description:
    "Post to the shared channel. Mention @name to hand work to a teammate: that wakes them. @all addresses everyone, @user informs the human.",
  input: ChannelSendInput,
  output: ChannelSendResult,
  readOnly: false,
  idempotent: false,
  async run({ kernel, claim }, { message, to, private: isPrivate, in_reply_to }) {
    if (isPrivate && !to?.length) {
      throw new AppError("usage", "a private message needs its recipients in `to`");
    }
    const sent = await sendFromTurn(kernel, claim, {
      content: message,
      to,
      private: isPrivate,
      inReplyTo: in_reply_to,
    });
    const { id, seq, recipients } = sent.message;
    const result = { id, seq, recipients, unknown: sent.unknown, parked: sent.parked, repeated: sent.repeated };
    return { text: describe(result), result };
  },
});

const channelRead = defineTool({
  name: "channel_read",
  title: "Read the channel",
  description: "Read what was said in the channel. Reading acknowledges nothing.",
  input: ChannelReadInput,
  output: ChannelReadResult,
  readOnly: true,
  idempotent: true,
  async run(caller, { since, limit = readByDefault }) {
    const after = since === undefined ? undefined : await seqOf(caller, since);
    const messages = await read(caller, { after, limit, newest: after === undefined });
    return { text: showMessages(messages, "The channel is empty."), result: { messages: messages.map(toToolMessage) } };
  },
});

const channelPeek = defineTool({
  name: "channel_peek",
  title: "Peek at the channel",
  description: "The latest messages of the channel.",
  input: ChannelPeekInput,
  output: ChannelReadResult,
  readOnly: true,
  idempotent: true,
  async run(caller, { limit = peekByDefault }) {
    const messages = await read(caller, { limit, newest: true });
    return { text: showMessages(messages, "The channel is empty."), result: { messages: messages.map(toToolMessage) } };
  },
});

export const channelTools = [channelSend, channelRead, channelPeek];

function read({ kernel, claim }: Caller, page: { after?: number; limit: number; newest: boolean }): Promise<Message[]> {
  return kernel.store.messages(claim.workflow, { agent: claim.agent }, page);
}

async function seqOf({ kernel, claim }: Caller, text: string): Promise<number> {
  const number = /^#?(\d{1,15})$/.exec(text)?.[1];
  if (number) return Number(number);
  const found = await kernel.store.message(text);
  if (found?.workflow === claim.workflow) return found.message.seq;
  throw new AppError("not-found", `there is no message '${text}' in this channel`, { hint: "give an id or a seq" });
}

function describe({ seq, recipients, unknown, parked, repeated }: ChannelSendResult): string {
  const sentences = [
    repeated
      ? `An earlier attempt of this turn has already sent exactly this, as #${seq}; it was not sent again.`
      : `Sent #${seq}${recipients.length > 0 ? ` to ${recipients.join(", ")}` : ", addressed to nobody"}.`,
    ...unknown.map(({ name, nearest }) => {
      const advice =
        nearest.length > 0
          ? `did you mean ${nearest.map((near) => `@${near}`).join(" or ")}?`
          : "workflow_agents lists who there is.";
      return `Nobody is called @${name}: ${advice}`;
    }),
    ...parked.map((name) => `${name} is stopped; the message waits there.`),
  ];
  return sentences.join("\n");
}
