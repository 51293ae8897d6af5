/** What other processes can read of the daemon's process: no key of the user who started it. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { openProgram } from "../fixtures/program.ts";

const env = { ANTHROPIC_API_KEY: "sk-ant-0123456789abcdef", HELD_NAME: "held", AGENT_WORKER_PORT: "0" };

test.skipIf(!existsSync("/proc/self/environ")).each([
  ["daemon start", ["daemon", "start"]],
  ["a first command", ["new", "ada", "--backend", "mock"]],
])("%s leaves nothing of the caller's environment in the daemon's process", async (_, line) => {
  await using program = await openProgram();
  expect((await program.give(line, { env })).exitCode).toBe(0);
  const { pid } = await program.ask<{ pid: number }>("daemon", "status");
  const seen = readFileSync(`/proc/${pid}/environ`, "utf8");
  expect(seen).toContain("AGENT_WORKER_HOME=");
  for (const [name, value] of Object.entries(env).slice(0, 2)) {
    expect(seen).not.toContain(name);
    expect(seen).not.toContain(value);
  }
  // Stdin is a pipe that has been read; a file could be read again.
  expect(readlinkSync(`/proc/${pid}/fd/0`)).toMatch(/^(pipe|socket):/);
});

test("the daemon applies the settings that it received", async () => {
  await using program = await openProgram();
  const refused = await program.give(["daemon", "start"], { env: { AGENT_WORKER_MAX_WORKERS: "none" } });
  expect(refused.stderr).toContain("AGENT_WORKER_MAX_WORKERS is 'none'");
});
