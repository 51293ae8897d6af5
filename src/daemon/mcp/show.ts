/** Messages as an agent reads them. */
import type { Message } from "../../protocol/message.ts";
import type { ToolMessage } from "../../protocol/tools.ts";

export function toToolMessage(message: Message): ToolMessage {
  const { id, seq, sender, recipients, content, kind, priority, private: isPrivate, inReplyTo, createdAt } = message;
  return { id, seq, sender, recipients, content, kind, priority, private: isPrivate, inReplyTo, createdAt };
}

export function showMessages(messages: Message[], whenNone: string): string {
  return messages.length === 0 ? whenNone : messages.map(showMessage).join("\n\n");
}

function showMessage({ id, seq, sender, recipients, content, priority, private: isPrivate }: Message): string {
  const to = recipients.length > 0 ? ` to ${recipients.join(", ")}` : "";
  const marks = [priority === "high" && "high priority", isPrivate && "private"].filter(Boolean).join(", ");
  return `#${seq} from ${sender}${to} (id ${id}${marks && `, ${marks}`}):\n${content}`;
}
