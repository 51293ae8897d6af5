/** Cases about stopping a turn early, and about what a turn leaves behind: nothing. */
import { expect } from "bun:test";
import type { AgentInput } from "../../../src/protocol/definition/agent-definition.ts";
import { findMarked, markOf } from "../../../src/system/process.ts";
import { toolMessage } from "../../fixtures/context-server.ts";
import { isRunning } from "../../fixtures/running.ts";
import { until } from "../../fixtures/until.ts";
import { apiKey } from "./setup.ts";
import { type Check, isStubbornRunning, type Playing, type Stage, userFilesNow } from "./stage.ts";

const hanging = [{ steps: [{ fault: "hang" as const }] }];

async function expectNothingLeft({ worker }: Playing): Promise<void> {
  await until(() => !isRunning(worker.pid));
  expect((await findMarked([markOf(worker)])).marked).toEqual([]);
}

async function startsWithin(stage: Stage, ready: () => boolean): Promise<void> {
  await until(ready, stage.setup.timeoutMs ?? 10_000);
}

export const cancellation: Check = async (stage) => {
  stage.api.rules = hanging;
  const playing = stage.begin();
  await stage.api.arrival(1);
  await playing.stop();
  expect(await playing.ended).toMatchObject({ status: "failed" });
  await expectNothingLeft(playing);
};

export const timeLimit: Check = async (stage) => {
  stage.api.rules = hanging;
  const events = await stage.run({ alice: { timeout: "1s", retry: { attempts: 1 } } }, "@alice begin");
  expect(events).toContainEqual(
    expect.objectContaining({
      type: "turn-end",
      data: expect.objectContaining({ status: "failed", reason: "not finished after 1 s (timeout)" }),
    }),
  );
  expect(events.at(-1)).toMatchObject({ data: { exitCode: 1, dead: 1 } });
};

export const stubbornChild: Check = async (stage) => {
  const { agent, rules } = stage.setup.stubborn(stage);
  stage.api.rules = rules;
  const playing = stage.begin(agent);
  await startsWithin(stage, () => isStubbornRunning(stage));
  await playing.stop();
  await expectNothingLeft(playing);
};

export const nothingLeft: Check = async (stage) => {
  const playing = stage.begin();
  expect(await playing.ended).toMatchObject({ status: "succeeded" });
  await playing.gone;
  await expectNothingLeft(playing);
};

/** Every process on the user's machine can read argv. */
async function expectNotInArgv(stage: Stage, secrets: string[], agent: Partial<AgentInput> = {}): Promise<void> {
  let playing: Playing | undefined;
  const lines: string[] = [];
  stage.api.onRequest = async () => {
    if (playing) lines.push(...(await stage.commandLines(playing.worker)));
  };
  playing = stage.begin(agent);
  expect(await playing.ended).toMatchObject({ status: "succeeded" });
  expect(lines.length).toBeGreaterThan(0);
  for (const secret of secrets) expect(lines.filter((line) => line.includes(secret))).toEqual([]);
}

export const argv: Check = async (stage) => {
  stage.server.inbox = [toolMessage("count the marmots")];
  await expectNotInArgv(stage, [apiKey, stage.server.token, "count the marmots"]);
};

export const systemPromptArgv: Check = (stage) =>
  expectNotInArgv(stage, ["herbarium"], { system_prompt: "You keep the herbarium." });

export const userFiles: Check = async (stage) => {
  const before = userFilesNow(stage);
  expect((await stage.play()).outcome).toMatchObject({ status: "succeeded" });
  expect(userFilesNow(stage)).toEqual(before);
};
