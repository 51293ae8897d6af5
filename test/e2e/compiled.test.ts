/** The program as one binary: it carries all that it needs, and obeys the folder it is in as little as the checkout does. */
import { expect, test } from "bun:test";
import { existsSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { RunResult } from "../../src/protocol/instance.ts";
import { version } from "../../src/protocol/version.ts";
import { temporaryFolder } from "../fixtures/folder.ts";
import { checkout } from "../fixtures/command.ts";
import { openProgram } from "../fixtures/program.ts";
import { plantTraps } from "../fixtures/traps.ts";

const slow = 60_000;

test(
  "the compiled program runs a team, in an empty home and a hostile folder",
  async () => {
    await using folder = await temporaryFolder();
    const binary = join(folder.path, "agent-worker");
    const build = Bun.spawn(["sh", join(checkout, "scripts/build"), binary], { stdout: "pipe", stderr: "pipe" });
    const said = await build.stderr.text();
    expect({ exitCode: await build.exited, said }).toMatchObject({ exitCode: 0 });

    await using program = await openProgram(binary);
    const canary = plantTraps(program);
    expect(await program.give(["--version"])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: "" });
    const { exitCode, stdout, stderr } = await program.give(["run", join(checkout, "examples/hello.yaml")]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "@user Bob is here.\n" });
    expect(stderr).toContain("✓ completed in");

    const pipeline = [join(checkout, "examples/pipeline.yaml"), "--depth", "2", "--text", "Word"];
    expect((await program.ask<RunResult>("run", ...pipeline)).output.split("\n")).toEqual([
      "1 word",
      "Grammar: No fault in the grammar.",
      "Style: One comma too many.",
      "Result: The quick brown fox jumps.",
    ]);

    const { output, results } = await program.ask<RunResult>("run", "trap.yaml");
    expect(output).toContain("tool: <>");
    expect(results).toEqual({ seen: "setup: <>" });
    const programs = program.processes().map((pid) => readlinkSync(`/proc/${pid}/exe`));
    expect(new Set(programs)).toEqual(new Set([binary]));
    expect(existsSync(canary)).toBe(false);
    expect(existsSync(join(program.path, "other-home"))).toBe(false);
    expect((await program.give(["daemon", "stop"])).exitCode).toBe(0);
  },
  slow,
);
