/** The channel: what agents say to each other and read of each other. */
import { AppError } from "../../../protocol/error.ts";
import {
  ChannelPeekInput,
  ChannelReadInput,
  ChannelReadResult,
  ChannelSendInput,
  ChannelSendResult,
} from "../../../protocol/tools/channel.ts";
import { showMessages, toToolMessage } from "./show.ts";
import { defineTool } from "../tool.ts";

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
    const sent = await kernel.sendFromTurn(claim, {
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
  async run({ kernel, claim }, { since, limit = readByDefault }) {
    const messages = await kernel.readMessages(claim.instance, { agent: claim.agent }, { since, limit });
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
  async run({ kernel, claim }, { limit = peekByDefault }) {
    const messages = await kernel.readMessages(claim.instance, { agent: claim.agent }, { limit });
    return { text: showMessages(messages, "The channel is empty."), result: { messages: messages.map(toToolMessage) } };
  },
});

export const channelTools = [channelSend, channelRead, channelPeek];

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
