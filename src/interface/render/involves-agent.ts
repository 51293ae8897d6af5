/** Whether a message or an event involves an agent. */
import type { Event } from "../../protocol/event.ts";
import type { Message } from "../../protocol/message.ts";

/** True for messages that the agent has sent or received. */
export function messageInvolves({ sender, recipients }: Message, agent: string): boolean {
  return [sender, ...recipients].some((name) => name.toLowerCase() === agent.toLowerCase());
}

/** True for the agent's turns, messages and documents, and for the start and end of the workflow. */
export function eventInvolves(event: Event, agent: string): boolean {
  const name = agent.toLowerCase();
  if ("agent" in event) return event.agent.toLowerCase() === name;
  if (event.type === "document-write") return event.data.author.toLowerCase() === name;
  if (event.type !== "message") return event.type === "workflow-start" || event.type === "workflow-end";
  return messageInvolves(event.data, agent);
}
