import { expect, test } from "bun:test";
import { AgentDefinition } from "../definition/agent-definition.ts";
import { splitModel } from "./model.ts";

test.each([
  ["anthropic/claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5"],
  ["openai:gpt-5", "openai", "gpt-5"],
  ["claude-sonnet-4-5", undefined, "claude-sonnet-4-5"],
  ["openai-compatible/meta-llama/Llama-3", "openai-compatible", "meta-llama/Llama-3"],
  ["ollama:qwen3:8b", "ollama", "qwen3:8b"],
  ["meta-llama/Llama-3", undefined, "meta-llama/Llama-3"],
])("%s: provider %p, model %s", (text, provider, model) => {
  expect(splitModel(text)).toEqual({ ...(provider && { provider }), model } as ReturnType<typeof splitModel>);
});

test.each([
  [{ model: "claude/sonnet" }, { backend: "claude", model: "sonnet" }],
  [{ model: "opencode/anthropic/claude-x" }, { backend: "opencode", model: "anthropic/claude-x" }],
  [
    { backend: "codex", model: "codex/gpt-5" },
    { backend: "codex", model: "gpt-5" },
  ],
  [
    { backend: "opencode", model: "opencode/zen" },
    { backend: "opencode", model: "opencode/zen" },
  ],
  [{ model: "anthropic/claude-x" }, { backend: "sdk", model: "anthropic/claude-x" }],
  [{ model: "claude/" }, { backend: "sdk", model: "claude/" }],
] as const)("%j resolves to %j", (agent, resolved) => {
  expect(AgentDefinition.parse(agent)).toMatchObject(resolved);
});
