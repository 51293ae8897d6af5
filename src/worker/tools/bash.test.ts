import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/fixtures/folder.ts";
import { isRunning } from "../../../test/fixtures/running.ts";
import { until } from "../../../test/fixtures/until.ts";
import { toolEnvironment } from "../tool-environment.ts";
import { bash } from "./bash.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => void (folder = await temporaryFolder()));
afterEach(() => folder[Symbol.asyncDispose]());

function run(args: unknown, options: { env?: Record<string, string>; signal?: AbortSignal } = {}) {
  const env = options.env ?? toolEnvironment({ PATH: process.env.PATH ?? "" }, {});
  return bash({ cwd: folder.path, env }).run(args, { signal: options.signal ?? new AbortController().signal });
}

/** Whether the process that wrote its pid into this file is running. */
const isAlive = (file: string): boolean => {
  const path = join(folder.path, file);
  return existsSync(path) && isRunning(Number(readFileSync(path, "utf8")));
};

test("returns the output of both streams, in order", async () => {
  expect(await run({ command: "echo one; echo two >&2; echo three; pwd" })).toEqual({
    ok: true,
    text: `one\ntwo\nthree\n${folder.path}`,
  });
});

test("reports a nonzero exit code and a signal", async () => {
  expect(await run({ command: "echo broken; exit 3" })).toEqual({ ok: false, text: "broken\n[exit code 3]" });
  expect(await run({ command: "kill -9 $$" })).toEqual({ ok: false, text: "[killed by SIGKILL]" });
});

test("validates arguments", async () => {
  for (const args of [
    {},
    { command: "" },
    { command: 1 },
    { command: "x", timeout: 601 },
    { command: "x", timeout: 0 },
  ]) {
    expect(await run(args)).toMatchObject({ ok: false, text: expect.stringContaining("bash:") });
  }
  expect((await run({ command: `: ${"x".repeat(200_000)}` })).text).toContain("write it to a file");
  expect((await run({ command: "echo a\0b" })).text).toContain("NUL");
});

test("keeps the start and end of long output", async () => {
  const { ok, text } = await run({ command: "echo first; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo last" });
  expect(ok).toBe(true);
  expect(text).toStartWith("first\nxxx");
  expect(text).toEndWith("xxx\nlast");
  expect(text).toMatch(/\[… \d+ bytes left out …\]/);
  expect(text.length).toBeLessThan(34_000);
});

test("ends a command that takes too long and everything it started, even if they ignore SIGTERM", async () => {
  const command = "trap '' TERM; sh -c \"trap '' TERM; sleep 100\" & echo $! > child; echo started; wait; sleep 100";
  const { ok, text } = await run({ command, timeout: 0.3 });
  expect({ ok, text }).toEqual({ ok: false, text: "started\n[ended after 0.3 s]" });
  expect(isAlive("child")).toBe(false);
});

test("leaves nothing in the background, in any session, without delaying the result", async () => {
  const command =
    "sleep 100 & echo $! > child; setsid sh -c 'echo $$ > session; exec sleep 100' & (setsid sh -c 'sh -c \"echo \\$\\$ > forked; exec sleep 100\" &' &); until [ -s session ] && [ -s forked ]; do sleep 0.01; done; echo done";
  expect(await run({ command })).toEqual({ ok: true, text: "done" });
  expect(["child", "session", "forked"].filter(isAlive)).toEqual([]);
});

test("a command that kills its own group does not kill the worker", async () => {
  expect((await run({ command: "kill -TERM 0; sleep 5" })).text).toBe("[killed by SIGTERM]");
});

test("hides keys from the command, and stdin is empty", async () => {
  const env = toolEnvironment({ PATH: process.env.PATH ?? "", OPENAI_API_KEY: "sk-secret" }, { GREETING: "hi" });
  const { text } = await run({ command: "cat; env" }, { env });
  expect(text).toContain("GREETING=hi");
  expect(text).not.toContain("sk-secret");
  expect(text).not.toContain("turn-token");
});

test("stopping the turn stops the command", async () => {
  const stopping = new AbortController();
  const result = run({ command: "echo $$ > self; sleep 100" }, { signal: stopping.signal });
  await until(() => isAlive("self"));
  stopping.abort();
  await expect(result).rejects.toThrow();
  expect(isAlive("self")).toBe(false);
});

test("a folder that does not exist is a clear error", async () => {
  const { signal } = new AbortController();
  const result = bash({ cwd: join(folder.path, "nowhere"), env: {} }).run({ command: "true" }, { signal });
  expect(await result).toMatchObject({ ok: false, text: expect.stringContaining("nowhere") });
});
