import { expect, test } from "bun:test";
import { costOf } from "./prices.ts";

const million = { inputTokens: 1_000_000, outputTokens: 1_000_000 };

test("input and output are priced per million tokens", () => {
  expect(costOf({ vendor: "anthropic", model: "claude-sonnet-4-5" }, million)).toBeCloseTo(18);
});

test("reading from the cache costs less, writing to it more", () => {
  const usage = { inputTokens: 3_000_000, outputTokens: 0, cacheReadTokens: 1_000_000, cacheWriteTokens: 1_000_000 };
  expect(costOf({ vendor: "anthropic", model: "claude-sonnet-4-5" }, usage)).toBeCloseTo(3 + 0.3 + 3.75);
});

test.each([
  ["openai", "gpt-5-2025-08-07", 11.25],
  ["openai", "gpt-5-mini", 2.25],
  ["anthropic", "claude-sonnet-4-5-20250929", 18],
] as const)("a date suffix does not change the price: %s %s", (vendor, model, cost) => {
  expect(costOf({ vendor, model }, million)).toBeCloseTo(cost);
});

test.each(["gpt-50", "gpt-5-pro", "gpt-5-6", "something-else"])(
  "an unknown model has an unknown cost, not 0: %s",
  (model) => {
    expect(costOf({ vendor: "openai", model }, million)).toBeUndefined();
    expect(costOf({ vendor: "openai-compatible", model }, million)).toBeUndefined();
  },
);

test.each([
  ["http://127.0.0.1:11434/v1", 0],
  ["http://localhost:11434/v1", 0],
  ["http://[::1]:11434/v1", 0],
  ["https://ollama.example.com/v1", undefined],
  ["https://127.0.0.1.example.com/v1", undefined],
  [undefined, undefined],
])("an ollama model is free only on this machine: %s", (baseUrl, cost) => {
  expect(costOf({ vendor: "ollama", model: "qwen3", ...(baseUrl && { baseUrl }) }, million)).toBe(cost);
});
