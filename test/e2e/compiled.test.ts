/** The program as one binary: it needs no other files, and ignores configuration of the current folder like the checkout does. */
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

/** Tools that a binary has to load, or start as processes, in a different way. */
const toolWorkflow = `agents:
  lacking: { backend: mock, tools: [./lacking.ts] }
  alice:
    backend: mock
    tools: [./tools.ts, search_code]
    script:
      - - tool: { name: shout, args: { text: hello } }
        - expect: HELLO
        - tool: { name: search_code, args: { pattern: toUpperCase } }
        - say: "\${{ result }}"
kickoff: "@alice @lacking begin"
`;

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
      "Grammar: No grammar mistakes.",
      "Style: One comma too many.",
      "Result: The quick brown fox jumps.",
    ]);

    const { output, results } = await program.ask<RunResult>("run", "trap.yaml");
    expect(output).toContain("tool: <>");
    expect(results).toEqual({ seen: "setup: <>" });
    program.write("tools.ts", `export const shout = { execute: ({ text }: { text: string }) => text.toUpperCase() };`);
    program.write("lacking.ts", `import "no-such-package-anywhere";`);
    program.write("tools.yaml", toolWorkflow);
    const tooled = await program.give(["run", "tools.yaml", "--json"]);
    expect(JSON.parse(tooled.stdout)).toMatchObject({ output: expect.stringContaining("tools.ts:1:") });
    expect((await program.give(["inbox", "@tools", "--dead"])).stdout).toContain("no-such-package-anywhere");

    expect(new Set(program.processes().flatMap(executableOf))).toEqual(new Set([binary]));
    expect(existsSync(canary)).toBe(false);
    expect(existsSync(join(program.path, "other-home"))).toBe(false);
    expect((await program.give(["daemon", "stop"])).exitCode).toBe(0);
  },
  slow,
);

function executableOf(pid: number): string[] {
  try {
    return [readlinkSync(`/proc/${pid}/exe`)];
  } catch {
    // The process has ended since.
    return [];
  }
}
