import { expect, test } from "bun:test";
import { withCost } from "./cost.ts";

const million = { inputTokens: 1_000_000, outputTokens: 1_000_000 };

test.each([
  ["a model of the program's default provider", { model: "gpt-5", provider: {}, defaultProvider: "openai" }, 11.25],
  ["a model that names its provider", { model: "anthropic/claude-sonnet-4-5", provider: {} }, 18],
  [
    "a model of the agent's provider",
    { model: "gpt-5", provider: { name: "openai", baseUrl: "http://lab/v1" } },
    11.25,
  ],
  ["a local model", { model: "qwen3", provider: { name: "ollama", baseUrl: "http://127.0.0.1:11434/v1" } }, 0],
] as const)("estimates the cost for %s", (_, asked, cost) => {
  expect(withCost(million, asked).cost).toBeCloseTo(cost);
});

test.each([
  ["an unnamed model", { model: undefined, provider: {}, defaultProvider: "openai" }],
  ["a model without a price", { model: "gpt-99", provider: {}, defaultProvider: "openai" }],
  ["an unknown provider", { model: "gpt-5", provider: { name: "lab" }, defaultProvider: "openai" }],
  ["a model without a provider", { model: "gpt-5", provider: {} }],
] as const)("the cost of %s is unknown, not 0", (_, asked) => {
  expect(withCost(million, asked)).not.toHaveProperty("cost");
});

test("keeps the cost that the program reports", () => {
  const reported = { ...million, cost: 0.5 };
  expect(withCost(reported, { model: "gpt-5", provider: {}, defaultProvider: "openai" })).toEqual(reported);
});
