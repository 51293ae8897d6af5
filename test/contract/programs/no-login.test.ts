/** Programs without a key or a login: the messages are parked, and can be resumed after a login. */
import { expect, test } from "bun:test";
import { codex } from "../backends/setups/codex.ts";
import { opencode } from "../backends/setups/opencode.ts";
import { openStage } from "../backends/stage.ts";

test.each([codex, opencode].map((setup) => [setup.name, setup] as const))(
  "%s without a key reports missing credentials when the API rejects it",
  async (_, setup) => {
    if (setup.unavailable !== undefined) return;
    await using stage = await openStage(setup);
    stage.api.rules = [{ steps: [{ status: 401, message: "who are you" }] }];
    const { outcome } = await stage.play({ provider: { name: "lab", base_url: `${stage.apiUrl}/v1` } });
    expect(outcome).toMatchObject({ failure: { kind: "credentials", message: expect.stringMatching(/login/) } });
  },
  90_000,
);
