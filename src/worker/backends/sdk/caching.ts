/**
 * Marks what a provider may keep from one request to the next. Only Anthropic has to be told: the instructions, with the
 * tools before them, and the conversation up to its end. Others do it by themselves and ignore the marks.
 */
import type { ModelMessage, SystemModelMessage } from "ai";

const mark = { anthropic: { cacheControl: { type: "ephemeral" } } } as const;

export function cacheSystem(content: string): SystemModelMessage {
  return { role: "system", content, providerOptions: mark };
}

/** Marks the last message and no other: the marks of earlier steps would be carried along, and there are four at most. */
export function cacheEnd(messages: ModelMessage[]): ModelMessage[] {
  return messages.map((message, index) => {
    const own = message.providerOptions?.["anthropic"];
    const { cacheControl } = mark.anthropic;
    const isEnd = index === messages.length - 1;
    const anthropic = { ...own, cacheControl: isEnd ? cacheControl : undefined };
    return { ...message, providerOptions: { ...message.providerOptions, anthropic } };
  });
}
