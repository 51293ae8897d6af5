import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../test/fixtures/folder.ts";
import { isRunning } from "../../test/fixtures/running.ts";
import { shellSpec } from "../../test/fixtures/specs.ts";
import { until } from "../../test/fixtures/until.ts";
import type { ShellSpec } from "../protocol/worker/worker-input.ts";
import { runShell } from "./shell.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => void (folder = await temporaryFolder()));
afterEach(() => folder[Symbol.asyncDispose]());
const { TMPDIR } = process.env;
afterEach(() => void (TMPDIR === undefined ? delete process.env.TMPDIR : (process.env.TMPDIR = TMPDIR)));

function run(script: string, more: Partial<ShellSpec> = {}, signal = new AbortController().signal) {
  return runShell(shellSpec(script, { cwd: folder.path, ...more }), signal);
}

test("returns what was printed, minus one trailing newline", async () => {
  expect(await run("echo one; echo two; echo")).toEqual({ status: "succeeded", text: "one\ntwo\n" });
  expect(await run("printf 'no newline'")).toEqual({ status: "succeeded", text: "no newline" });
});

test("runs in the caller's folder with the caller's environment", async () => {
  const env = { PATH: process.env.PATH ?? "", SECRET: "the user's own" };
  expect(await run('pwd; echo "$SECRET"', { env })).toMatchObject({ text: `${folder.path}\nthe user's own` });
});

test.each([
  ["quotes", `it's "quoted" \`and\` \\'more\\'`],
  ["newlines", "\n\nline\r\nline\n\n\n"],
  ["commands", "$(touch canary) `touch canary`; touch canary & ${HOME} !! *"],
  ["empty", ""],
  ["control characters", "\x01\x02\x7f\x1b[31m\t"],
  ["unicode", "zażółć 🦊 \u2028 \ufeff"],
  ["leading dashes", "-n -e -rf /"],
  ["a megabyte", "'\"$x\n".repeat(200_000)],
])("passes a value unchanged: %s", async (_, value) => {
  const values = [
    { name: "__aw_1", value },
    { name: "__aw_2", value: "next" },
  ];
  const outcome = await run(`printf '%s|%s' "$__aw_1" "$__aw_2"`, { values });
  expect(outcome.status === "succeeded" && outcome.text === `${value}|next`).toBe(true);
  expect(existsSync(join(folder.path, "canary"))).toBe(false);
});

test("values are in no environment, argument or file that the script could pass on", async () => {
  const values = [{ name: "__aw_1", value: "needle-in-haystack" }];
  const script = `env; tr '\\0' ' ' < /proc/$$/cmdline; ls "$0"; sh -c 'echo "[$__aw_1]"'`;
  const outcome = await run(script, { values });
  expect(outcome).toMatchObject({ status: "succeeded", text: expect.stringMatching(/script\n\[\]$/) });
  expect(JSON.stringify(outcome)).not.toContain("needle");
});

test("uses sh if there is no bash", async () => {
  for (const program of ["sh", "rm"]) await symlink(`/bin/${program}`, join(folder.path, program));
  const values = [{ name: "__aw_1", value: "it's\n$(here)\x01\n" }];
  const outcome = await run(`printf '%s' "$BASH$__aw_1"`, { values, env: { PATH: folder.path } });
  expect(outcome).toEqual({ status: "succeeded", text: "it's\n$(here)\x01" });
});

test("refuses a NUL in a value, with the reason", async () => {
  const outcome = await run("true", { values: [{ name: "__aw_1", value: "a\0b" }] });
  expect(outcome).toMatchObject({ failure: { kind: "permanent", message: expect.stringContaining("NUL") } });
});

test("names a variable that is too large, with a workaround", async () => {
  const outcome = await run("true", { env: { PATH: process.env.PATH ?? "", DIFF: "x".repeat(4 << 20) } });
  const message = expect.stringMatching(
    /DIFF is 4096 KiB long, .* can be at most 128 KiB; use "\$\{\{ … \}\}" in the script/,
  );
  expect(outcome).toMatchObject({ failure: { kind: "permanent", message } });
});

test("a failing script is a permanent failure with its exit code and the end of stderr", async () => {
  expect(await run("echo fine; echo broken >&2; exit 3")).toMatchObject({
    failure: { kind: "permanent", message: "exit code 3: broken" },
  });
  const long = await run("yes complaint | head -n 100000 >&2; echo last words >&2; false");
  expect(long).toMatchObject({ failure: { message: expect.stringMatching(/^exit code 1: .*last words$/s) } });
  expect(JSON.stringify(long).length).toBeLessThan(6_000);
  expect(await run("kill -9 $$")).toMatchObject({ failure: { message: "killed by SIGKILL" } });
  expect(await run("if then")).toMatchObject({ failure: { kind: "permanent" } });
});

test("endless output ends the script, with a hint", async () => {
  const outcome = await run("yes");
  expect(outcome).toMatchObject({
    failure: { kind: "permanent", message: expect.stringContaining("write to a file") },
  });
});

test("a missing folder is a clear failure", async () => {
  const outcome = await run("true", { cwd: join(folder.path, "nowhere") });
  expect(outcome).toMatchObject({ failure: { kind: "permanent", message: expect.stringContaining("nowhere") } });
});

test("runs a script that is too long for an argument", async () => {
  expect(await run(`: ${"x".repeat(300_000)}\necho long`)).toMatchObject({ text: "long" });
});

test("stopping ends everything and removes the private folder", async () => {
  process.env.TMPDIR = folder.path;
  const stopping = new AbortController();
  const outcome = run("sleep 100 & echo $! > child; wait", {}, stopping.signal);
  const child = () => Number(readFileSync(join(folder.path, "child"), { encoding: "utf8", flag: "a+" }));
  await until(() => child() > 0);
  stopping.abort();
  expect(await outcome).toMatchObject({ failure: { kind: "transient" } });
  expect(isRunning(child())).toBe(false);
  expect(readdirSync(folder.path)).toEqual(["child"]);
});
