import { describe, expect, test } from "bun:test";
import { chooseModel } from "./models.ts";

const keys = { ANTHROPIC_API_KEY: "a-key", OPENAI_API_KEY: "o-key" };

describe("the provider of a model", () => {
  test.each([
    ["anthropic/claude-x", {}, { vendor: "anthropic", model: "claude-x", apiKey: "a-key" }],
    ["openai:gpt-x", {}, { vendor: "openai", model: "gpt-x", apiKey: "o-key" }],
    ["claude-x", {}, { vendor: "anthropic", model: "claude-x" }],
    ["gpt-x", { name: "openai" }, { vendor: "openai", model: "gpt-x" }],
    ["openai/gpt-x", { name: "openai" }, { vendor: "openai", model: "gpt-x" }],
    ["auto", {}, { vendor: "anthropic", model: "claude-sonnet-4-5" }],
    ["auto", { name: "openai" }, { vendor: "openai", model: "gpt-5" }],
    ["ollama/qwen3:8b", {}, { vendor: "ollama", model: "qwen3:8b", baseUrl: "http://127.0.0.1:11434/v1" }],
  ])("%s with the provider %j", (model, provider, chosen) => {
    expect(chooseModel(model, provider, keys)).toMatchObject(chosen);
  });

  test("an unknown one is OpenAI-compatible, and the model's name is not changed", () => {
    const provider = { name: "lab", baseUrl: "https://lab.test/v1", apiKey: "l-key" };
    expect(chooseModel("openai/gpt-x", provider, {})).toEqual({
      vendor: "openai-compatible",
      provider: "lab",
      model: "openai/gpt-x",
      baseUrl: "https://lab.test/v1",
      apiKey: "l-key",
    });
  });

  test("auto uses the first provider with a key that is not empty", () => {
    const env = { ANTHROPIC_API_KEY: "", GEMINI_API_KEY: "g-key", DEEPSEEK_API_KEY: "d-key" };
    expect(chooseModel("auto", {}, env)).toMatchObject({ vendor: "google", apiKey: "g-key" });
  });
});

test("the agent's own key and base URL take precedence over the environment", () => {
  const env = { ...keys, ANTHROPIC_BASE_URL: "https://proxy.test" };
  expect(chooseModel("claude-x", {}, env)).toMatchObject({ baseUrl: "https://proxy.test", apiKey: "a-key" });
  const own = { baseUrl: "https://own.test", apiKey: "own" };
  expect(chooseModel("claude-x", own, env)).toMatchObject(own);
});

test("the choice includes the variable that holds the key", () => {
  expect(chooseModel("claude-x", {}, keys)).toMatchObject({ keyVariable: "ANTHROPIC_API_KEY" });
  expect(chooseModel("gemini-x", { name: "google" }, { GEMINI_API_KEY: "g" })).toMatchObject({
    keyVariable: "GEMINI_API_KEY",
  });
  expect(chooseModel("claude-x", { apiKey: "own", keyVariable: "LAB_KEY" }, keys)).toMatchObject({
    keyVariable: "LAB_KEY",
  });
});

test.each([
  ["claude-x", "credentials", "set ANTHROPIC_API_KEY in the environment"],
  ["google/gemini-x", "credentials", "set GOOGLE_GENERATIVE_AI_API_KEY in the environment"],
  ["auto", "credentials", "set one of ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY"],
  [undefined, "permanent", "model: auto"],
  ["openai-compatible/x", "permanent", "needs a base_url"],
  ["ollama:auto", "permanent", "set one"],
])("%s without a required setting: %s, %s", (model, kind, message) => {
  const provider = model === "ollama:auto" ? { name: "ollama" } : {};
  const asked = model === "ollama:auto" ? "auto" : model;
  expect(chooseModel(asked, provider, {})).toMatchObject({
    failure: { kind, message: expect.stringContaining(message) },
  });
});
