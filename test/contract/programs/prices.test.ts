/** What turns of programs cost that count tokens and no money: an estimate where the model is known, and else nothing. */
import { expect, test } from "bun:test";
import { acp } from "../backends/setups/acp.ts";
import { codex } from "../backends/setups/codex.ts";
import { opencode } from "../backends/setups/opencode.ts";
import { openStage } from "../backends/stage.ts";

const usage = { input: 1_000, output: 50, cacheRead: 200 };
const rules = [{ offers: "channel_send", steps: [{ text: "Done.", usage }] }];
const tokens = { inputTokens: 1_200, outputTokens: 50, cacheReadTokens: 200 };
const cost = (1_000 * 0.28 + 200 * 0.028 + 50 * 0.42) / 1_000_000;
/** OpenCode is slow, and played where everything is. */
const isSlow = !process.env["AGENT_WORKER_TEST_ALL"];

test.skipIf(codex.unavailable !== undefined)(
  "Codex with a model that nobody knows costs an unknown amount",
  async () => {
    await using stage = await openStage(codex);
    stage.api.rules = rules;
    const { outcome } = await stage.play({ model: "marmot-1" });
    expect(outcome).toMatchObject({ status: "succeeded", usage: tokens });
    expect(outcome.usage).not.toHaveProperty("cost");
  },
);

test.skipIf(opencode.unavailable !== undefined || isSlow)(
  "OpenCode's model is priced where OpenCode cannot",
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
  "an ACP agent's model is priced by the name that the agent gives it",
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
