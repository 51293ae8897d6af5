import { expect, test } from "bun:test";
import { costOf, pricesOf } from "./prices.ts";

const million = { inputTokens: 1_000_000, outputTokens: 1_000_000 };

test("input and output have their prices, per million tokens", () => {
  expect(costOf({ vendor: "anthropic", model: "claude-sonnet-4-5" }, million)).toBeCloseTo(18);
});

test("what the cache gave costs less, and what it took more", () => {
  const usage = { inputTokens: 3_000_000, outputTokens: 0, cacheReadTokens: 1_000_000, cacheWriteTokens: 1_000_000 };
  expect(costOf({ vendor: "anthropic", model: "claude-sonnet-4-5" }, usage)).toBeCloseTo(3 + 0.3 + 3.75);
});

test.each([
  ["openai", "gpt-5-2025-08-07", 11.25],
  ["openai", "gpt-5-mini", 2.25],
  ["anthropic", "claude-sonnet-4-5-20250929", 18],
] as const)("a dated name is its model: %s %s", (vendor, model, cost) => {
  expect(costOf({ vendor, model }, million)).toBeCloseTo(cost);
});

test.each(["gpt-50", "gpt-5-pro", "gpt-5-6", "something-else"])(
  "an unknown model has an unknown price, not 0: %s",
  (model) => {
    expect(costOf({ vendor: "openai", model }, million)).toBeUndefined();
    expect(costOf({ vendor: "openai-compatible", model }, million)).toBeUndefined();
  },
);

test("a model of one's own machine costs nothing", () => {
  expect(costOf({ vendor: "ollama", model: "qwen3" }, million)).toBe(0);
});

test("the table has a date", () => {
  expect(Date.parse(pricesOf)).not.toBeNaN();
});
