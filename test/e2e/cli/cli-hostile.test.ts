/** A folder made by somebody else: giving commands in it runs nothing of it and believes nothing it says. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openProgram } from "../../fixtures/program.ts";
import { plantTraps } from "../../fixtures/traps.ts";

test("runs none of it, for any command", async () => {
  await using program = await openProgram();
  const canary = plantTraps(program);
  const lines = [
    ["--version"],
    ["validate", "trap.yaml"],
    ["ls"],
    ["run", "trap.yaml", "--json"],
    ["start", "trap.yaml", "-d", "--tag", "stays"],
    ["send", "alice@trap:stays", "hello", "--wait"],
    ["logs", "@trap"],
    ["daemon", "status"],
    ["daemon", "stop"],
  ];
  for (const line of lines) {
    const { exitCode, stdout, stderr } = await program.give(line);
    expect({ line, exitCode, stderr: exitCode === 0 ? "" : stderr }).toEqual({ line, exitCode: 0, stderr: "" });
    expect(existsSync(canary)).toBe(false);
    if (line[0] === "run") {
      expect(JSON.parse(stdout)).toMatchObject({
        output: expect.stringContaining("tool: <>"),
        results: { seen: "setup: <>" },
      });
    }
  }
  expect(existsSync(join(program.path, "other-home"))).toBe(false);
  expect(existsSync(join(program.home, "daemon.log"))).toBe(true);
});

test("and neither does what the caller's own environment would have Bun and Node run", async () => {
  await using program = await openProgram();
  const canary = plantTraps(program);
  const preload = join(program.project, "preload.cjs");
  const env = { BUN_OPTIONS: `--preload ${preload}`, NODE_OPTIONS: `--require ${preload}` };
  expect(await program.give(["run", "trap.yaml"], { env })).toMatchObject({ exitCode: 0 });
  expect(existsSync(canary)).toBe(false);
});
