/** Programs that finish their turn while a command still runs: the turn ends at once, and the command with it. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentInput } from "../../../src/protocol/definition/agent-definition.ts";
import { findMarked, markOf } from "../../../src/system/process.ts";
import type { Outcome } from "../../../src/protocol/turn.ts";
import type { Call } from "../../fixtures/model-api/exchange.ts";
import { isRunning } from "../../fixtures/running.ts";
import { claude } from "../backends/setups/claude.ts";
import { codex } from "../backends/setups/codex.ts";
import { opencode } from "../backends/setups/opencode.ts";
import { openStage, type Stage } from "../backends/stage.ts";

/** Writes its process id to a file, and runs longer than these tests. */
const sleeper = "echo $$ > sleeper; exec sleep 300";
const usage = { input: 1_000, output: 50 };
/** A turn that waited for the command would take minutes. */
const limitMs = 20_000;

/** The model makes this call and ends its turn. Resolves when the worker has ended; none of its processes may be left. */
async function play(stage: Stage, call: Call, agent: Partial<AgentInput> = {}): Promise<Outcome> {
  const steps = [
    { calls: [call], usage },
    { text: "It runs.", usage },
  ];
  stage.api.rules = [{ offers: call.tool, steps }];
  const { worker, ended, gone } = stage.begin({ tools: ["bash"], ...agent });
  const outcome = await ended;
  await gone;
  expect((await findMarked([markOf(worker)])).marked).toEqual([]);
  return outcome;
}

function sleeperOf({ folder }: Stage): number {
  return Number(readFileSync(join(folder, "sleeper"), "utf8"));
}

const finished = { status: "succeeded", text: "It runs.", usage: { inputTokens: 2_000, outputTokens: 100 } } as const;

test.skipIf(claude.unavailable !== undefined)(
  "ends the turn of Claude Code while a background command runs",
  async () => {
    await using stage = await openStage(claude);
    const args = { command: sleeper, description: "Sleep", run_in_background: true };
    expect(await play(stage, { tool: "Bash", args })).toMatchObject(finished);
    expect(isRunning(sleeperOf(stage))).toBe(false);
  },
  limitMs,
);

test.skipIf(claude.unavailable !== undefined)(
  "ends the turn of Claude Code while a wake-up is scheduled",
  async () => {
    await using stage = await openStage(claude);
    const args = { delaySeconds: 600, reason: "look again", prompt: "Look again." };
    expect(await play(stage, { tool: "ScheduleWakeup", args })).toMatchObject(finished);
    expect(stage.api.requests.at(-1)?.results.join("")).toContain("wakeup scheduled");
  },
  limitMs,
);

test.skipIf(codex.unavailable !== undefined)(
  "ends the turn of Codex while a shell session is open",
  async () => {
    await using stage = await openStage(codex);
    // Its sandbox does not work in every container.
    const command = [...(codex.agent(stage).command ?? []), "--dangerously-bypass-approvals-and-sandbox"];
    const call = { tool: "exec_command", args: { cmd: sleeper, yield_time_ms: 1_000 } };
    expect(await play(stage, call, { command })).toMatchObject(finished);
    expect(isRunning(sleeperOf(stage))).toBe(false);
  },
  limitMs,
);

/** OpenCode is slow, so it runs only with AGENT_WORKER_TEST_ALL=1. */
test.skipIf(opencode.unavailable !== undefined || !process.env["AGENT_WORKER_TEST_ALL"])(
  "ends the turn of OpenCode while a command of its shell still runs",
  async () => {
    await using stage = await openStage(opencode);
    const args = { command: `sh -c '${sleeper}' >log 2>&1 & until test -s sleeper; do :; done`, description: "Sleep" };
    expect(await play(stage, { tool: "bash", args })).toMatchObject(finished);
    expect(isRunning(sleeperOf(stage))).toBe(false);
  },
  opencode.timeoutMs,
);
