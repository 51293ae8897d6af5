import { expect, test } from "bun:test";
import { turnSpec } from "../../../test/fixtures/specs.ts";
import { drive, type Reader } from "./drive.ts";

const reader: Reader = {
  read: () => [],
  fatal: () => undefined,
  outcome: () => ({ status: "succeeded", text: "" }),
  usage: () => undefined,
};
const turn = { provider: {}, env: { PATH: process.env["PATH"] ?? "" }, signal: AbortSignal.timeout(10_000) };

test("does not start a program whose flags bypass a policy or mocks, and names the flag", async () => {
  const play = (more: Parameters<typeof turnSpec>[1], mocks: Record<string, unknown> = {}) => {
    const agent = { backend: "codex" as const, command: ["true", "--yolo"], ...more };
    const spec = turnSpec({ url: "", token: "" }, agent, { mocks });
    return Array.fromAsync(drive("codex", spec, turn, { args: [], env: {}, input: "" }, reader));
  };
  expect(await play({})).toMatchObject([{ outcome: { status: "succeeded" } }]);
  const refused = [{ outcome: { failure: { kind: "permanent", message: expect.stringContaining("--yolo") } } }];
  expect(await play({ approval: { bash: "ask" } })).toMatchObject(refused);
  expect(await play({}, { bash: "ok" })).toMatchObject(refused);
});
