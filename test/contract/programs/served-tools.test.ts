/** Tools that replace a program's own: the model is offered only ours. */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentInput } from "../../../src/protocol/definition/agent-definition.ts";
import { claude } from "../backends/setups/claude.ts";
import { codex } from "../backends/setups/codex.ts";
import { opencode } from "../backends/setups/opencode.ts";
import { openStage, type Stage } from "../backends/stage.ts";

/** All names of tools that run a command, or read a file. */
const shells = /^(bash|exec_command|write_stdin|shell|monitor|tools_bash|mcp__tools__bash)$/i;
const readers = /^(read|exec_command|tools_read_file|mcp__tools__read_file|read_file)$/i;

async function play(stage: Stage, tool: string, agent: Partial<AgentInput>, mocks = {}): Promise<string[]> {
  stage.api.rules = [{ offers: tool, steps: [{ calls: [{ tool }] }, { text: "Done." }] }];
  const { outcome } = await stage.play(agent, { mocks });
  expect(outcome).toMatchObject({ status: "succeeded", text: "Done." });
  return stage.api.requests[0]?.tools.map(({ name }) => name) ?? [];
}

/** OpenCode is slow, so it runs only with AGENT_WORKER_TEST_ALL=1. */
const setups = process.env["AGENT_WORKER_TEST_ALL"] ? [claude, codex, opencode] : [claude, codex];

describe.each(setups.map((setup) => [setup.name, setup] as const))("%s", (_, setup) => {
  const check = (title: string, body: () => Promise<void>) =>
    test.skipIf(setup.unavailable !== undefined)(title, body, setup.timeoutMs ?? 20_000);

  check("is offered no other shell besides a mocked bash", async () => {
    await using stage = await openStage(setup);
    const offered = await play(stage, "bash", { tools: ["bash"] }, { bash: "it was never run" });
    expect(offered.filter((name) => shells.test(name))).toHaveLength(1);
    expect(stage.api.requests.at(-1)?.results.join("")).toContain("it was never run");
  });

  check("is offered only the user's read_file module, not its own", async () => {
    await using stage = await openStage(setup);
    const module = join(stage.folder, "reading.ts");
    writeFileSync(
      module,
      `const inputSchema = { type: "object", properties: {} };
       export const read_file = { description: "Reads", inputSchema, execute: async () => "read by hand" };`,
    );
    const offered = await play(stage, "read_file", { tools: [module] });
    expect(offered.filter((name) => readers.test(name))).toHaveLength(1);
    expect(stage.api.requests.at(-1)?.results.join("")).toContain("read by hand");
  });
});

test.skipIf(claude.unavailable !== undefined)(
  "with an approval policy, Claude Code keeps its own tools and gets no duplicates",
  async () => {
    await using stage = await openStage(claude);
    stage.api.rules = [{ offers: "channel_send", steps: [{ text: "Done." }] }];
    await stage.play({ tools: ["bash", "list_files"], approval: { bash: "ask" } });
    const offered = stage.api.requests[0]?.tools.map(({ name }) => name) ?? [];
    expect(offered).toContain("Bash");
    expect(offered).not.toContain("mcp__tools__bash");
    expect(offered).toContain("mcp__tools__list_files");
  },
);
