/**
 * Model prices, for backends that do not report a cost: US dollars per million tokens, one tier per model. Entered by
 * hand on 2026-11-15 and not checked against the vendors' price lists, so costs are estimates. A model that is not
 * listed has an unknown cost, never 0.
 */
import type { Usage } from "../../protocol/turn.ts";
import type { ChosenModel } from "./models.ts";

type Price = {
  input: number;
  output: number;
  /** Tokens read from the vendor's cache. */
  cached: number;
  /** Tokens written to the cache. Default: the input price. */
  written?: number;
};

/** By vendor, then by model name without its date. */
const prices: Record<string, Record<string, Price>> = {
  anthropic: {
    "claude-opus-4-5": { input: 5, output: 25, cached: 0.5, written: 6.25 },
    "claude-opus-4-1": { input: 15, output: 75, cached: 1.5, written: 18.75 },
    "claude-opus-4": { input: 15, output: 75, cached: 1.5, written: 18.75 },
    "claude-sonnet-4-5": { input: 3, output: 15, cached: 0.3, written: 3.75 },
    "claude-sonnet-4": { input: 3, output: 15, cached: 0.3, written: 3.75 },
    "claude-3-7-sonnet": { input: 3, output: 15, cached: 0.3, written: 3.75 },
    "claude-haiku-4-5": { input: 1, output: 5, cached: 0.1, written: 1.25 },
    "claude-3-5-haiku": { input: 0.8, output: 4, cached: 0.08, written: 1 },
  },
  openai: {
    "gpt-5-mini": { input: 0.25, output: 2, cached: 0.025 },
    "gpt-5-nano": { input: 0.05, output: 0.4, cached: 0.005 },
    "gpt-5": { input: 1.25, output: 10, cached: 0.125 },
    "gpt-4.1-mini": { input: 0.4, output: 1.6, cached: 0.1 },
    "gpt-4.1-nano": { input: 0.1, output: 0.4, cached: 0.025 },
    "gpt-4.1": { input: 2, output: 8, cached: 0.5 },
    "gpt-4o-mini": { input: 0.15, output: 0.6, cached: 0.075 },
    "gpt-4o": { input: 2.5, output: 10, cached: 1.25 },
    "o4-mini": { input: 1.1, output: 4.4, cached: 0.275 },
    o3: { input: 2, output: 8, cached: 0.5 },
  },
  google: {
    "gemini-2.5-pro": { input: 1.25, output: 10, cached: 0.125 },
    "gemini-2.5-flash-lite": { input: 0.1, output: 0.4, cached: 0.01 },
    "gemini-2.5-flash": { input: 0.3, output: 2.5, cached: 0.03 },
  },
  deepseek: {
    "deepseek-chat": { input: 0.28, output: 0.42, cached: 0.028 },
    "deepseek-reasoner": { input: 0.28, output: 0.42, cached: 0.028 },
  },
};

/** The cost of this usage; undefined if unknown. */
export function costOf(
  { vendor, model, baseUrl }: Pick<ChosenModel, "vendor" | "model" | "baseUrl">,
  usage: Usage,
): number | undefined {
  // A local model costs nothing; a server at any other address may charge.
  if (vendor === "ollama") return isLoopback(baseUrl) ? 0 : undefined;
  const price = priceOf(vendor, model);
  if (!price) return undefined;
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const fresh = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const written = price.written ?? price.input;
  const total =
    fresh * price.input + cacheReadTokens * price.cached + cacheWriteTokens * written + outputTokens * price.output;
  return total / 1_000_000;
}

function priceOf(vendor: string, model: string): Price | undefined {
  return prices[vendor]?.[model.replace(dateSuffix, "")];
}

function isLoopback(address: string | undefined): boolean {
  const host = address === undefined ? "" : (URL.parse(address)?.hostname ?? "");
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);
}

/** `gpt-5-2025-08-07` is `gpt-5`. Any other suffix is another model, which may have another price. */
const dateSuffix = /-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;
