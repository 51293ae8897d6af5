/** Channel tools: post messages and read them. */
import { AppError } from "../../../protocol/error.ts";
import {
  ChannelPeekInput,
  ChannelReadInput,
  ChannelReadResult,
  ChannelSendInput,
  ChannelSendResult,
} from "../../../protocol/tools/channel.ts";
import { formatMessages, toToolMessage } from "../tool-message.ts";
import { defineTool } from "../tool.ts";

const defaultReadLimit = 50;
const defaultPeekLimit = 10;

const channelSend = defineTool({
  name: "channel_send",
  title: "Send a message",
  description:
    "Post to the shared channel. Mention @name to wake a teammate and hand off work to it. @all addresses everyone, @user informs the user.",
  input: ChannelSendInput,
  output: ChannelSendResult,
  readOnly: false,
  idempotent: false,
  async run({ operations, claim }, { message, to, private: isPrivate, in_reply_to }) {
    if (isPrivate && !to?.length) {
      throw new AppError("usage", "a private message needs its recipients in `to`");
    }
    const sent = await operations.sendFromTurn(claim, {
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
  description: "Read the messages of the channel. Reading does not acknowledge them.",
  input: ChannelReadInput,
  output: ChannelReadResult,
  readOnly: true,
  idempotent: true,
  async run({ operations, claim }, { since, limit = defaultReadLimit }) {
    const messages = await operations.readMessages(claim.instance, { agent: claim.agent }, { since, limit });
    return {
      text: formatMessages(messages, "The channel is empty."),
      result: { messages: messages.map(toToolMessage) },
    };
  },
});

const channelPeek = defineTool({
  name: "channel_peek",
  title: "Peek at the channel",
  description: "Read the latest messages of the channel.",
  input: ChannelPeekInput,
  output: ChannelReadResult,
  readOnly: true,
  idempotent: true,
  async run({ operations, claim }, { limit = defaultPeekLimit }) {
    const messages = await operations.readMessages(claim.instance, { agent: claim.agent }, { limit });
    return {
      text: formatMessages(messages, "The channel is empty."),
      result: { messages: messages.map(toToolMessage) },
    };
  },
});

export const channelTools = [channelSend, channelRead, channelPeek];

function describe({ seq, recipients, unknown, parked, repeated }: ChannelSendResult): string {
  const sentences = [
    repeated
      ? `An earlier attempt of this turn already sent this message, as #${seq}; it was not sent again.`
      : `Sent #${seq}${recipients.length > 0 ? ` to ${recipients.join(", ")}` : ", without recipients"}.`,
    ...unknown.map(({ name, nearest }) => {
      const advice =
        nearest.length > 0
          ? `did you mean ${nearest.map((near) => `@${near}`).join(" or ")}?`
          : "workflow_agents lists the team.";
      return `No agent is named @${name}: ${advice}`;
    }),
    ...parked.map((name) => `${name} is stopped; the message waits until it is started.`),
  ];
  return sentences.join("\n");
}
