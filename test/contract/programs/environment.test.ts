/** Which of the caller's environment variables programs see, checked in the real process. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentInput } from "../../../src/protocol/definition/agent-definition.ts";
import { acp } from "../backends/setups/acp.ts";
import { command } from "../backends/setups/command.ts";
import { cursor } from "../backends/setups/cursor.ts";
import { openStage } from "../backends/stage.ts";

/** Variables of the caller that no program should see by default. */
const callerEnv = {
  ANTHROPIC_API_KEY: "anthropic-secret",
  OPENAI_API_KEY: "openai-secret",
  CURSOR_API_KEY: "cursor-secret",
  AWS_SECRET_ACCESS_KEY: "aws-secret",
  DEPLOY_TOKEN: "deploy-secret",
  XDG_CONFIG_HOME: "/somewhere/.config",
};

test.each([
  ["acp", acp, {}, ["SCRIPTED_API_KEY"]],
  ["acp with a provider key from the caller", acp, { provider: "anthropic" }, ["ANTHROPIC_API_KEY"]],
  [
    "command",
    command,
    { provider: "openai", env: { DEPLOY_TOKEN: "deploy-secret" } },
    ["DEPLOY_TOKEN", "OPENAI_API_KEY"],
  ],
  ["cursor with a key from the caller", cursor, { provider: "cursor" }, ["CURSOR_API_KEY"]],
  ["cursor with its own key", cursor, {}, ["CURSOR_API_KEY"]],
] satisfies [string, typeof acp, Partial<AgentInput>, string[]][])(
  "%s sees only its own keys",
  async (_, setup, agent, names) => {
    await using stage = await openStage(setup);
    Object.assign(stage.env, callerEnv);
    await stage.play({ env: {}, ...agent, command: ["/bin/sh", "-c", "env > seen"] });
    const seen = Object.fromEntries(
      readFileSync(join(stage.folder, "seen"), "utf8")
        .split("\n")
        .map((line) => [line.replace(/=.*/, ""), line.replace(/^[^=]*=/, "")]),
    );
    expect(
      Object.keys(seen)
        .filter((name) => /KEY|SECRET|(?<!^AGENT_WORKER_)TOKEN/.test(name))
        .sort(),
    ).toEqual(names);
    expect(seen).toMatchObject({ HOME: stage.home, XDG_CONFIG_HOME: callerEnv.XDG_CONFIG_HOME });
    expect(seen["AGENT_WORKER_TOKEN"]).toBe(stage.server.token);
  },
);
