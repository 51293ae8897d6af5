/** Which messages concern an agent: what it said, and what it was told. */
import type { Message } from "../../protocol/message.ts";

export function isAbout({ sender, recipients }: Message, agent: string): boolean {
  return [sender, ...recipients].some((name) => name.toLowerCase() === agent.toLowerCase());
}
