import { expect, test } from "bun:test";
import { describeProviders } from "./providers.ts";

const stateOf = (name: string, env: Record<string, string>) =>
  describeProviders(env).find((state) => state.name === name);

test("a provider is ready when one of its variables is set and not empty", () => {
  expect(stateOf("google", { GEMINI_API_KEY: "x" })).toMatchObject({ ready: true, key: "GEMINI_API_KEY" });
  expect(stateOf("openai", { OPENAI_API_KEY: "" })).toMatchObject({ ready: false, key: null });
});

test("providers without keys are ready", () => {
  expect(stateOf("ollama", {})).toMatchObject({ ready: true, key: null });
});

test("auto is shown for the first provider with a key, and for no other", () => {
  const states = describeProviders({ OPENAI_API_KEY: "x", DEEPSEEK_API_KEY: "y" });
  expect(states.flatMap(({ name, auto }) => (auto === null ? [] : [[name, auto]]))).toEqual([["openai", "gpt-5"]]);
});

test("keys are not shown, only the variables that hold them", () => {
  const shown = JSON.stringify(
    describeProviders({ ANTHROPIC_API_KEY: "secret-1", ANTHROPIC_BASE_URL: "https://u:p@x" }),
  );
  expect(shown).not.toMatch(/secret-1|u:p/);
  expect(shown).toContain("ANTHROPIC_BASE_URL");
});
