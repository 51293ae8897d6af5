/** A workflow's params as flags of `run` and `start`. */
import { expect, test } from "bun:test";
import type { RunResult } from "../../../src/protocol/instance.ts";
import { openProgram, type Program } from "../../fixtures/program.ts";

function writeTyped(program: Program): void {
  program.write(
    "typed.yaml",
    `agents:
  a: { backend: mock, script: [{ on: "", do: [{ say: "\${{ inbox }}" }] }] }
params:
  - { name: target, short: t, required: true, description: Branch to review }
  - { name: depth, type: integer, short: d, default: 2, description: How deep }
  - { name: ratio, type: number, default: 0.5 }
  - { name: dry_run, type: boolean, description: Change nothing }
tasks:
  - send: "\${{ params.target }} \${{ params.depth + 1 }} \${{ params.ratio }} \${{ params.dry_run ? 'dry' : 'wet' }}"
    to: a
`,
  );
}

test("are parsed by type, in every form of a flag", async () => {
  await using program = await openProgram();
  writeTyped(program);
  for (const [line, output] of [
    ["--target main -d 3", "user: main 4 0.5 wet"],
    ["-t x --depth=-3 --dry-run", "user: x -2 0.5 dry"],
    ["--target=a=b --ratio 1e3 --dry_run=true", "user: a=b 3 1000 dry"],
    ["--target -x --dry-run --no-dry-run", "user: -x 3 0.5 wet"],
    ["--target=main --dry-run=false", "user: main 3 0.5 wet"],
  ] as const) {
    expect((await program.ask<RunResult>("run", "typed.yaml", ...line.split(" "))).output).toBe(output);
  }
  // Also before the file, and with spaces, quotes and shell syntax.
  const hostile = 'it\'s "$(touch canary)" @a';
  expect((await program.ask<RunResult>("run", "--target", hostile, "typed.yaml")).output).toBe(
    `user: ${hostile} 3 0.5 wet`,
  );
}, 20_000);

test("are listed by --help", async () => {
  await using program = await openProgram();
  writeTyped(program);
  const { exitCode, stdout } = await program.give(["run", "typed.yaml", "--help"]);
  expect(exitCode).toBe(0);
  for (const part of [
    "Params of typed.yaml:",
    "-t, --target <text>",
    "Branch to review (required)",
    "How deep (default: 2)",
    "--dry-run",
  ]) {
    expect(stdout).toContain(part);
  }
  program.write("broken.yaml", "agents: {}\n");
  expect(await program.give(["run", "broken.yaml", "--help"])).toMatchObject({ exitCode: 0 });
});

test("missing, unknown or wrongly typed params exit with 2 and a list of params, and start nothing", async () => {
  await using program = await openProgram();
  writeTyped(program);
  for (const [line, parts] of [
    ["", ["--target (-t) is missing", "run typed.yaml --help"]],
    [
      "-d deep --ratio much",
      ["--target (-t) is missing", '--depth (-d): expected a whole number, found "deep"', "--ratio: expected a number"],
    ],
    ["--targt x", ["unknown option '--targt'", "--target <text>, --depth <number>, --ratio <number>, --dry-run"]],
    ["-t x extra", ["too many arguments"]],
    ["-t", ["argument missing"]],
  ] as const) {
    const result = await program.give(["run", "typed.yaml", ...line.split(" ").filter((word) => word !== "")]);
    expect(result).toMatchObject({ exitCode: 2, stdout: "" });
    for (const part of parts) expect(result.stderr).toContain(part);
  }
  program.write("plain.yaml", "agents: { a: { backend: mock } }\nkickoff: '@a'\n");
  const plain = await program.give(["run", "plain.yaml", "--target", "x"]);
  expect(plain).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("unknown option '--target'") });
});

test("with start, -d still means detach", async () => {
  await using program = await openProgram();
  writeTyped(program);
  expect(await program.give(["start", "typed.yaml", "-d", "--target", "x", "--depth", "7"])).toMatchObject({
    exitCode: 0,
    stdout: "started @typed\n",
  });
});
