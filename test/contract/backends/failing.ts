/** Cases about failures: their kind and their message. */
import { expect } from "bun:test";
import type { Outcome } from "../../../src/protocol/turn.ts";
import type { Reply } from "../../fixtures/model-api/exchange.ts";
import { closedAddress } from "../../fixtures/model-api/model-api.ts";
import { apiKey } from "./setup.ts";
import type { Check, Stage } from "./stage.ts";

type Failed = Extract<Outcome, { status: "failed" }>["failure"];

/** Runs a turn in which the model gives this reply to every request, and returns the failure. */
async function failWith(stage: Stage, reply: Reply, agent = {}): Promise<Failed> {
  stage.api.rules = [{ steps: [reply] }];
  return failureOf((await stage.play(agent)).outcome);
}

function failureOf(outcome: Outcome): Failed {
  if (outcome.status === "succeeded") throw new Error(`it succeeded: ${outcome.text}`);
  expect(outcome.failure.message).not.toContain(apiKey);
  return outcome.failure;
}

export const badKey: Check = async (stage) => {
  const failure = await failWith(stage, { status: 401, message: `the key ${apiKey} is not valid` });
  expect(failure).toMatchObject({ kind: "permanent", message: expect.stringMatching(/key|401|log ?in/i) });
};

export const missingKey: Check = async (stage) => {
  delete stage.env[stage.setup.keyVariable];
  const failure = failureOf((await stage.play()).outcome);
  expect(failure).toMatchObject({ kind: "credentials", message: expect.stringContaining(stage.setup.keyVariable) });
  expect(stage.api.requests).toEqual([]);
};

export const unknownModel: Check = async (stage) => {
  const failure = await failWith(stage, { status: 404, message: "there is no such model" });
  expect(failure.kind).toBe("permanent");
  expect(failure.message).toMatch(/model/i);
};

export const rateLimit: Check = async (stage) => {
  const failure = await failWith(stage, { status: 429, message: "slow down", headers: { "retry-after": "7" } });
  expect(failure).toMatchObject({ kind: "transient", retryAfterMs: 7_000 });
};

export const usageLimit: Check = async (stage) => {
  const before = Date.now();
  const failure = await failWith(stage, { status: 429, message: "that was all", headers: { "retry-after": "3600" } });
  expect(failure.kind).toBe("usage-limit");
  expect(failure.until).toBeGreaterThanOrEqual(before + 3_600_000);
  expect(failure.until).toBeLessThanOrEqual(Date.now() + 3_600_000);
};

export const serverError: Check = async (stage) => {
  expect(await failWith(stage, { status: 503, message: "out of order" })).toMatchObject({ kind: "transient" });
};

export const unreachable: Check = async (stage) => {
  stage.apiUrl = await closedAddress();
  const failure = failureOf((await stage.play()).outcome);
  expect(failure).toMatchObject({ kind: "transient", message: expect.stringMatching(/reach|connect|network/i) });
};

export const cutStream: Check = async (stage) => {
  const failure = await failWith(stage, { text: ["One, ", "two, ", "three, ", "four."], fault: "cut" });
  expect(failure.kind).toBe("transient");
};

export const garbage: Check = async (stage) => {
  expect((await failWith(stage, { fault: "garbage" })).message).not.toBe("");
};

export const noOutput: Check = async (stage) => {
  expect(await failWith(stage, { fault: "empty" })).toMatchObject({ kind: "transient" });
};

export const refusedTools: Check = async (stage) => {
  // Only the worker's own inbox check is accepted.
  stage.server.acceptsCalls = 1;
  stage.api.rules = [{ steps: [{ text: "All is well." }] }];
  expect(failureOf((await stage.play()).outcome).message).toMatch(/daemon|MCP/i);
};

/** Either the model gets the error and continues, or the turn fails and names the cause. */
function expectContinuedOrNamed(outcome: Outcome, name: string): void {
  if (outcome.status === "failed") expect(outcome.failure.message).toContain(name);
  else expect(outcome.text).toBe("Never mind.");
}

export const unknownTool: Check = async (stage) => {
  stage.api.rules = [{ offers: "channel_send", steps: [{ calls: [{ tool: "fly_away" }] }, { text: "Never mind." }] }];
  expectContinuedOrNamed((await stage.play()).outcome, "fly_away");
};

export const brokenArguments: Check = async (stage) => {
  const calls = [{ tool: "channel_send", args: '{"message": 7' }];
  stage.api.rules = [{ offers: "channel_send", steps: [{ calls }, { text: "Never mind." }] }];
  expectContinuedOrNamed((await stage.play()).outcome, "channel_send");
  expect(stage.server.calls.map(({ tool }) => tool)).not.toContain("channel_send");
};

export const stepLimit: Check = async (stage) => {
  const failure = await failWith(
    stage,
    { calls: [{ tool: "channel_send", args: { message: "again" } }] },
    { max_steps: 2 },
  );
  expect(failure).toMatchObject({ kind: "permanent", message: expect.stringContaining("max_steps") });
};

/** A turn in which the runtime denied something must not count as a success. */
export const permissionDenied: Check = async (stage) => {
  const denied = stage.setup.denied?.(stage);
  if (!denied) throw new Error("the setup has neither `denied` nor a reason in `lacks.permissionDenied`");
  stage.api.rules = denied.rules;
  const { outcome } = await stage.play(denied.agent);
  expect(failureOf(outcome).message).toMatch(/permi|denied|allow/i);
};
