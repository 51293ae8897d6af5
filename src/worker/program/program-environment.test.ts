import { expect, test } from "bun:test";
import { turnSpec } from "../../../test/fixtures/specs.ts";
import { environmentFor, environmentForUnknown } from "./program-environment.ts";
import { opencodeKey } from "../backends/opencode/opencode-key.ts";

const place = { url: "http://127.0.0.1:1/mcp", token: "turn-token" };
const caller = {
  PATH: "/bin",
  HOME: "/home/a",
  XDG_CONFIG_HOME: "/home/a/.config",
  https_proxy: "http://proxy",
  ANTHROPIC_API_KEY: "anthropic-key",
  ANTHROPIC_BASE_URL: "https://gateway.example.com",
  CLAUDE_CONFIG_DIR: "/home/a/.claude",
  CLAUDE_CODE_ENTRYPOINT: "cli",
  OPENAI_API_KEY: "openai-key",
  CODEX_HOME: "/home/a/.codex",
  CODEX_API_KEY: "codex-key",
  AWS_SECRET_ACCESS_KEY: "aws-key",
  BASH_ENV: "/evil",
  DEPLOY_TOKEN: "deploy-token",
};
const shared = {
  PATH: "/bin",
  HOME: "/home/a",
  XDG_CONFIG_HOME: "/home/a/.config",
  https_proxy: "http://proxy",
  // Calls to the daemon bypass the proxy.
  no_proxy: "127.0.0.1,localhost,::1",
  NO_PROXY: "127.0.0.1,localhost,::1",
  TARGET: "staging",
};
const specOf = (env: Record<string, string>, model?: string) =>
  turnSpec(place, { env: { TARGET: "staging" }, ...(model !== undefined && { model }) }, { env });

test("a program gets its own login and settings, and no others", () => {
  expect(environmentFor("claude", specOf(caller), {})).toEqual({
    ...shared,
    ANTHROPIC_API_KEY: "anthropic-key",
    ANTHROPIC_BASE_URL: "https://gateway.example.com",
    CLAUDE_CONFIG_DIR: "/home/a/.claude",
  });
  expect(environmentFor("codex", specOf(caller), {})).toEqual({
    ...shared,
    OPENAI_API_KEY: "openai-key",
    CODEX_API_KEY: "codex-key",
    CODEX_HOME: "/home/a/.codex",
  });
  expect(environmentFor("opencode", specOf(caller), {})).toEqual(shared);
});

test("a key of the agent's provider replaces every login", () => {
  const passed = environmentFor("codex", specOf(caller), { name: "lab", apiKey: "lab-key" });
  expect(passed).toEqual({ ...shared, CODEX_HOME: "/home/a/.codex" });
});

test("Claude Code gets a cloud account only if it is configured to use that cloud", () => {
  const bedrock = { ...caller, CLAUDE_CODE_USE_BEDROCK: "1" };
  expect(environmentFor("claude", specOf(bedrock), {})).toMatchObject({ AWS_SECRET_ACCESS_KEY: "aws-key" });
  expect(environmentFor("codex", specOf(bedrock), {})).not.toHaveProperty("AWS_SECRET_ACCESS_KEY");
});

test("the agent's env is passed regardless of its names", () => {
  const spec = turnSpec(place, { env: { AZURE_API_KEY: "azure-key" } }, { env: caller });
  expect(environmentFor("codex", spec, {})).toMatchObject({ AZURE_API_KEY: "azure-key" });
});

test("OpenCode gets the key of its model's provider, or the first available one", () => {
  const keyOf = (model?: string, provider = {}) =>
    opencodeKey(specOf(caller, model), { provider, env: { ...caller, GROQ_API_KEY: "groq-key" } });
  expect(keyOf("openai/gpt-5")).toEqual({ provider: "openai", key: "openai-key" });
  expect(keyOf("groq/llama")).toEqual({ provider: "groq", key: "groq-key" });
  expect(keyOf("mistral/large")).toBeUndefined();
  expect(keyOf()).toEqual({ provider: "anthropic", key: "anthropic-key" });
  expect(keyOf("marmot", { name: "lab", apiKey: "lab-key" })).toEqual({ provider: "lab", key: "lab-key" });
});

test("any other program gets no key except those of its provider and its env", () => {
  expect(environmentForUnknown(specOf(caller), {})).toEqual(shared);
  expect(environmentForUnknown(specOf(caller), { name: "anthropic" })).toEqual({
    ...shared,
    ANTHROPIC_API_KEY: "anthropic-key",
    ANTHROPIC_BASE_URL: "https://gateway.example.com",
  });
  const elsewhere = { name: "openai", apiKey: "lab-key", baseUrl: "https://lab.example.com/v1" };
  expect(environmentForUnknown(specOf(caller), elsewhere)).toEqual({
    ...shared,
    OPENAI_API_KEY: "lab-key",
    OPENAI_BASE_URL: "https://lab.example.com/v1",
  });
  expect(environmentForUnknown(specOf(caller), { name: "the-lab", apiKey: "lab-key" })).toEqual({
    ...shared,
    THE_LAB_API_KEY: "lab-key",
  });
});
