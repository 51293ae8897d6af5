/**
 * Marks what a provider should cache between requests: the instructions, with the tools before them, and the
 * conversation up to its end. Only Anthropic needs the marks; other providers cache automatically and ignore them.
 */
import type { ModelMessage, SystemModelMessage } from "ai";

const mark = { anthropic: { cacheControl: { type: "ephemeral" } } } as const;

export function cacheSystem(content: string): SystemModelMessage {
  return { role: "system", content, providerOptions: mark };
}

/** Marks only the last message: marks of earlier steps would add up, and Anthropic allows four. */
export function cacheEnd(messages: ModelMessage[]): ModelMessage[] {
  return messages.map((message, index) => {
    const own = message.providerOptions?.["anthropic"];
    const { cacheControl } = mark.anthropic;
    const isEnd = index === messages.length - 1;
    const anthropic = { ...own, cacheControl: isEnd ? cacheControl : undefined };
    return { ...message, providerOptions: { ...message.providerOptions, anthropic } };
  });
}
