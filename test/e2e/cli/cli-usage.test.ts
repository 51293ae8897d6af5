/** Usage errors on the command line, and what new users see first. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { version } from "../../../src/protocol/version.ts";
import { launcher } from "../../fixtures/command.ts";
import { openProgram, type Program } from "../../fixtures/program.ts";

const mistakes: [what: string, line: string, ...says: string[]][] = [
  ["an unknown command", "statsu", "unknown command 'statsu': did you mean 'status'?"],
  ["an unknown flag", "ls --jsn", "unknown option '--jsn'", "Did you mean --json?"],
  ["a flag without a command", "--quiet", "--quiet needs a command"],
  ["a missing file", "run", "missing required argument 'file'", "agent-worker run --help"],
  ["a missing message id", "why", "missing required argument 'message'"],
  ["a missing message", "send", "missing message", "agent-worker send <target>"],
  ["a missing name", "new", "missing required argument 'name'"],
  ["an extra argument", "validate a.yaml b.yaml", "too many arguments"],
  ["a flag without its value", "send hi --to", "--to <target>", "argument missing"],
  ["an invalid count", "peek -n many", "'many' is not a positive whole number"],
  ["an invalid duration", "send a@b hi --wait --timeout soon", "'soon' is not a duration", "30s"],
  ["an invalid target", "status a@b@c", "'a@b@c' is not a target", "agent@workflow"],
  ["an invalid agent name", "new 9lives -b mock", "'9lives' is not a valid agent name"],
  ["a reserved name", "new all -b mock", "'all' is reserved"],
  ["an unknown backend", "new alice -b claud", "did you mean 'claude'?"],
  ["two targets", "peek @a --to @b", "two targets: '@a' and --to '@b'"],
  ["two tags", "peek @a:x --tag y", "two tags"],
  ["nothing to remove", "rm", "missing target"],
  ["an argument that is not a message id", "discard everything", "'everything' is not a message id"],
  ["an unknown verb", "daemon strat", "did you mean 'start'?"],
];

let program: Program;
beforeAll(async () => {
  program = await openProgram();
});
afterAll(() => program[Symbol.asyncDispose]());

/** Runs a command on its own pseudo-terminal. */
async function onTerminal(line: string[], env: Record<string, string> = {}): Promise<string> {
  let shown = "";
  const decoder = new TextDecoder();
  const child = Bun.spawn([launcher, ...line], {
    cwd: program.project,
    env: { ...program.env, TERM: "xterm", ...env },
    terminal: { cols: 100, rows: 30, data: (_, bytes) => void (shown += decoder.decode(bytes, { stream: true })) },
  });
  await child.exited;
  child.terminal?.close();
  return shown;
}

describe("without a daemon", () => {
  test("prints version and help", async () => {
    expect(await program.give(["--version"])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: "" });
    const [bare, help, topic] = await Promise.all([
      program.give([]),
      program.give(["--help"]),
      program.give(["help", "send"]),
    ]);
    expect(bare).toEqual(help);
    expect(help).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("First steps"), stderr: "" });
    expect(topic).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Usage: agent-worker send") });
  });

  test.concurrent.each(mistakes)("%s is refused with exit code 2", async (_, line, ...says) => {
    const { exitCode, stdout, stderr } = await program.give(line.split(" "));
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toStartWith("error: ");
    for (const part of says) expect(stderr).toContain(part);
  });

  test("with --json, in any position, the error is JSON on stdout", async () => {
    for (const line of [
      ["statsu", "--json"],
      ["--json", "run"],
      ["ls", "--json", "--bogus"],
    ]) {
      const { exitCode, stdout, stderr } = await program.give(line);
      expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: "" });
      expect(JSON.parse(stdout)).toEqual({
        error: { code: "usage", message: expect.any(String), hint: expect.any(String) },
      });
    }
  });

  test("none of these commands has started a process", () => {
    expect(program.processes()).toEqual([]);
  });
});

describe("with a daemon", () => {
  test("aliases, flags before the command and the form with `agent` are equivalent", async () => {
    for (const line of ["--json ls", "ps --json", "agent list --json", "--project /x list --json"]) {
      const { exitCode, stdout } = await program.give(line.split(" "));
      expect({ exitCode, answer: JSON.parse(stdout) }).toEqual({
        exitCode: 0,
        answer: { workflows: [], approvals: [] },
      });
    }
  });

  test("prints no error when the reader closes the pipe", async () => {
    const line = `for words in --help --version "ls --help" "ls --json" logs; do ${launcher} $words | true; done`;
    const child = Bun.spawn(["sh", "-c", line], { env: program.env, stdout: "pipe", stderr: "pipe" });
    expect(await child.stderr.text()).toBe("");
  });

  test("an empty list shows what to do first", async () => {
    expect(await program.give(["ls"])).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: expect.stringContaining("agent-worker run <file>"),
    });
  });
});

describe("colours", () => {
  test("are used on terminals, but not with NO_COLOR, --no-color or TERM=dumb", async () => {
    expect(await onTerminal(["--help"])).toContain("\u001B[1m");
    expect(await onTerminal(["--help"], { NO_COLOR: "1" })).not.toContain("\u001B");
    expect(await onTerminal(["--help", "--no-color"])).not.toContain("\u001B");
    expect(await onTerminal(["statsu"], { TERM: "dumb" })).not.toContain("\u001B");
  });
});
