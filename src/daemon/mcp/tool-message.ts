/** Messages as an agent reads them: a long one is cut to its head and tail, and names the resource with the full text. */
import type { Message } from "../../protocol/message.ts";
import type { ToolMessage } from "../../protocol/tools/message.ts";
import { indent } from "../../text/frame.ts";
import { shortenMessage } from "../../text/shorten.ts";

export function toToolMessage(message: Message): ToolMessage {
  const { id, seq, sender, recipients, kind, priority, private: isPrivate, inReplyTo, createdAt, resource } = message;
  const content = shortenMessage(message);
  return {
    id,
    seq,
    sender,
    recipients,
    content,
    kind,
    priority,
    private: isPrivate,
    inReplyTo,
    createdAt,
    ...(resource !== undefined && { resource }),
  };
}

export function formatMessages(messages: Message[], whenNone: string): string {
  return messages.length === 0 ? whenNone : messages.map(formatMessage).join("\n\n");
}

function formatMessage(message: Message): string {
  const { id, seq, sender, recipients, priority, private: isPrivate } = message;
  const to = recipients.length > 0 ? ` to ${recipients.join(", ")}` : "";
  const marks = [priority === "high" && "high priority", isPrivate && "private"].filter(Boolean).join(", ");
  return `#${seq} from ${sender}${to} (id ${id}${marks && `, ${marks}`}):\n${indent(shortenMessage(message))}`;
}
