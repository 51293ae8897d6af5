import { expect, test } from "bun:test";
import { withCost } from "./cost.ts";

const million = { inputTokens: 1_000_000, outputTokens: 1_000_000 };

test.each([
  ["the model that its program usually asks for", { model: "gpt-5", provider: {}, defaultProvider: "openai" }, 11.25],
  ["a model with its provider", { model: "anthropic/claude-sonnet-4-5", provider: {} }, 18],
  [
    "a model of the agent's provider",
    { model: "gpt-5", provider: { name: "openai", baseUrl: "http://lab/v1" } },
    11.25,
  ],
  ["a model at home", { model: "qwen3", provider: { name: "ollama", baseUrl: "http://127.0.0.1:11434/v1" } }, 0],
] as const)("tokens have a price with %s", (_, asked, cost) => {
  expect(withCost(million, asked).cost).toBeCloseTo(cost);
});

test.each([
  ["a model that nobody names", { model: undefined, provider: {}, defaultProvider: "openai" }],
  ["a model that is not in the table", { model: "gpt-99", provider: {}, defaultProvider: "openai" }],
  ["a provider that is not known", { model: "gpt-5", provider: { name: "lab" }, defaultProvider: "openai" }],
  ["a model whose provider nobody names", { model: "gpt-5", provider: {} }],
] as const)("the cost of %s is unknown, not 0", (_, asked) => {
  expect(withCost(million, asked)).not.toHaveProperty("cost");
});

test("what the program says is left as it is", () => {
  const told = { ...million, cost: 0.5 };
  expect(withCost(told, { model: "gpt-5", provider: {}, defaultProvider: "openai" })).toEqual(told);
});
