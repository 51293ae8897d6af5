/** What the programs' shells see of the caller's environment: never an API key. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentInput } from "../../src/protocol/definition/agent-definition.ts";
import { apiKey, type BackendSetup } from "../contract/backends/setup.ts";
import { claude } from "../contract/backends/setups/claude.ts";
import { codex } from "../contract/backends/setups/codex.ts";
import { command } from "../contract/backends/setups/command.ts";
import { opencode } from "../contract/backends/setups/opencode.ts";
import { openStage, type Stage } from "../contract/backends/stage.ts";

type Shell = { setup: BackendSetup; tool: string; args: Record<string, unknown> };

const show = "env | sort";
const shells: Shell[] = [
  { setup: claude, tool: "Bash", args: { command: show } },
  { setup: codex, tool: "exec_command", args: { cmd: show } },
  { setup: opencode, tool: "bash", args: { command: show, description: "Shows" } },
];
/** Other keys in the shell of the user who starts a workflow. */
const others = {
  OPENAI_API_KEY: "sk-openai-0123456789",
  GROQ_API_KEY: "gsk-0123456789",
  GITHUB_TOKEN: "ghp_0123456789",
};
const timeoutMs = 90_000;

async function seenBy(stage: Stage, { tool, args }: Shell, agent: Partial<AgentInput> = {}) {
  Object.assign(stage.env, others);
  stage.api.rules = [{ offers: "channel_send", steps: [{ calls: [{ tool, args }] }, { text: "Shown." }] }];
  const { outcome, events } = await stage.play({ tools: ["bash"], env: { TARGET: "staging" }, ...agent });
  expect(outcome).toMatchObject({ status: "succeeded" });
  const told = stage.api.requests.flatMap(({ results }) => results).join("\n");
  return { told, events: JSON.stringify(events) };
}

test("the token of the tool server is in no event and in no outcome", async () => {
  await using stage = await openStage(command);
  const script = `show_token() { printf %s "$AGENT_WORKER_TOOLS_TOKEN"; }
    show_token > token; show_token; show_token >&2; exit 1`;
  const { outcome, events } = await stage.play({ command: ["bash", "-c", script], tools: ["bash"] });
  const token = readFileSync(join(stage.folder, "token"), "utf8");
  expect(token.length).toBeGreaterThan(40);
  expect(outcome.status).toBe("failed");
  expect(JSON.stringify({ outcome, events })).not.toContain(token);
  expect(JSON.stringify({ outcome, events })).toContain("[redacted]");
});

describe.each(shells.map((shell) => [shell.setup.name, shell] as const))("%s", (_, shell) => {
  const missing = shell.setup.unavailable !== undefined;

  test.skipIf(missing)(
    "a shell sees the agent's env, and no API key",
    async () => {
      await using stage = await openStage(shell.setup);
      const { told } = await seenBy(stage, shell);
      expect(told).toContain("TARGET=staging");
      expect(told).toContain(`HOME=${stage.home}`);
      for (const secret of [apiKey, ...Object.values(others)]) expect(told).not.toContain(secret);
    },
    timeoutMs,
  );
});
