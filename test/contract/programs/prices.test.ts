/** The cost of turns of programs that report tokens but no cost: an estimate if the model is known, otherwise none. */
import { expect, test } from "bun:test";
import { acp } from "../backends/setups/acp.ts";
import { codex } from "../backends/setups/codex.ts";
import { opencode } from "../backends/setups/opencode.ts";
import { openStage } from "../backends/stage.ts";

const usage = { input: 1_000, output: 50, cacheRead: 200 };
const rules = [{ offers: "channel_send", steps: [{ text: "Done.", usage }] }];
const tokens = { inputTokens: 1_200, outputTokens: 50, cacheReadTokens: 200 };
const cost = (1_000 * 0.28 + 200 * 0.028 + 50 * 0.42) / 1_000_000;
/** OpenCode is slow, so it runs only with AGENT_WORKER_TEST_ALL=1. */
const isSlow = !process.env["AGENT_WORKER_TEST_ALL"];

test.skipIf(codex.unavailable !== undefined)("Codex with an unknown model reports no cost", async () => {
  await using stage = await openStage(codex);
  stage.api.rules = rules;
  const { outcome } = await stage.play({ model: "marmot-1" });
  expect(outcome).toMatchObject({ status: "succeeded", usage: tokens });
  expect(outcome.usage).not.toHaveProperty("cost");
});

test.skipIf(opencode.unavailable !== undefined || isSlow)(
  "OpenCode's turn is priced from the price table if OpenCode has no price",
  async () => {
    await using stage = await openStage(opencode);
    stage.api.rules = rules;
    const provider = { name: "deepseek", base_url: `${stage.apiUrl}/v1`, api_key: "$SCRIPTED_KEY" };
    const { outcome } = await stage.play({ model: "deepseek-chat", provider });
    expect(outcome).toMatchObject({ status: "succeeded", usage: { ...tokens, cost: expect.closeTo(cost, 9) } });
  },
  90_000,
);

test.skipIf(acp.unavailable !== undefined || isSlow)(
  "an ACP agent's turn is priced by the model name that the agent reports",
  async () => {
    await using stage = await openStage(acp);
    stage.api.rules = rules;
    const options = { baseURL: `${stage.apiUrl}/v1`, apiKey: "{env:DEEPSEEK_API_KEY}" };
    const deepseek = { npm: "@ai-sdk/openai-compatible", options, models: { "deepseek-chat": {} } };
    const config = { autoupdate: false, provider: { deepseek }, model: "deepseek/deepseek-chat" };
    const { outcome } = await stage.play({
      provider: { name: "deepseek", api_key: "$SCRIPTED_KEY" },
      env: { ...acp.agent(stage).env, OPENCODE_CONFIG_CONTENT: JSON.stringify(config) },
    });
    expect(outcome).toMatchObject({ status: "succeeded", usage: { ...tokens, cost: expect.closeTo(cost, 9) } });
  },
  90_000,
);
