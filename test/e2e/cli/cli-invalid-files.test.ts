/** Invalid workflow files: each is refused with a clear message and its position, with exit code 2, and without a daemon. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openProgram, type Program } from "../../fixtures/program.ts";

const team = (more = "") => `name: team
agents:
  alice: { backend: mock }
  bob: { backend: mock${more} }
`;
const kickoff = 'kickoff: "@alice begin"\n';
const explosion = Array.from({ length: 9 }, (_, level) => {
  const value = level === 0 ? '"lots of text"' : `*level${level - 1}`;
  return `level${level}: &level${level} [${Array.from({ length: 10 }, () => value).join(", ")}]\n`;
}).join("");

type Case = [what: string, file: string, content: string | Uint8Array | null, ...says: (string | RegExp)[]];

const everywhere: Case[] = [
  ["a missing file", "nothing.yaml", null, "there is no file 'nothing.yaml'"],
  ["a mistyped file name", "tema.yaml", null, "did you mean team.yaml?"],
  ["a folder", "folder", null, "'folder' is a folder", "folder/inner.yaml"],
  ["an empty file", "empty.yaml", "", "empty.yaml:1:1: error: there is nothing in this file", "agents:"],
  ["a binary file", "binary.yaml", new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1, 2]), "is a binary file", "UTF-8"],
  ["10 MB of YAML", "big.yaml", `${team()}${kickoff}${"# more\n".repeat(1_500_000)}`, "larger than 1 MiB"],
  [
    "aliases that expand to too much text",
    "explosion.yaml",
    explosion,
    /:\d+:\d+: error: .*aliases .* more than 1 MiB/,
    "fewer",
  ],
  [
    "a cyclic alias",
    "cycle.yaml",
    "agents: &all\n  alice: *all\n",
    "cycle.yaml:2:10: error: the alias *all refers to a value that contains it",
  ],
  ["a file that is not YAML", "broken.yaml", "agents: [\n", /broken\.yaml:\d+:\d+: error: /],
  ["no agents", "none.yaml", `agents: {}\n${kickoff}`, "none.yaml:1:1: error: a workflow needs at least one agent"],
  ["no key `agents`", "without.yaml", kickoff, "the key 'agents' is missing"],
  [
    "a duplicate agent",
    "twice.yaml",
    `${team()}  alice: { backend: mock }\n${kickoff}`,
    "twice.yaml:5:3: error:",
    "duplicate key 'alice'",
  ],
  [
    "names that differ only in case",
    "case.yaml",
    `${team()}  Alice: { backend: mock }\n${kickoff}`,
    "case.yaml:5:3",
    "case-insensitive",
  ],
  [
    "a reserved name",
    "reserved.yaml",
    `${team()}  user: { backend: mock }\n${kickoff}`,
    "reserved.yaml:5:3: error: 'user' is reserved",
  ],
  [
    "an invalid name",
    "illegal.yaml",
    `${team()}  my agent: { backend: mock }\n${kickoff}`,
    "illegal.yaml:5:3",
    "use letters, digits, _ and -",
  ],
  [
    "a missing prompt",
    "prompt.yaml",
    `${team(", system_prompt: prompts/bob.md")}${kickoff}`,
    /prompt\.yaml:4:\d+: error: there is no file 'prompts\/bob\.md'/,
  ],
  [
    "an unknown key",
    "key.yaml",
    `${team(", tymeout: 3s")}${kickoff}`,
    /key\.yaml:4:\d+: error: unknown key 'tymeout': did you mean 'timeout'\?/,
  ],
  ["an unknown backend", "backend.yaml", `${team()}  carol: { backend: mok }\n${kickoff}`, "did you mean 'mock'?"],
  [
    "an unknown name in a template",
    "value.yaml",
    `${team()}kickoff: "@alice see \${{ diff }}"\n`,
    /value\.yaml:5:\d+: error: .*diff/,
  ],
  [
    "wrong types",
    "types.yaml",
    `name: 7\n${team(", tools: bash, timeout: 3").slice(11)}${kickoff}`,
    "types.yaml:1:7: error: expected text, found the number 7",
    'quote it: "7"',
    "expected a list, found text",
    "write a unit: 3s or 3m",
  ],
  [
    "a value inside single quotes in a shell command",
    "quotes.yaml",
    `${team()}setup:\n  - shell: "echo '\${{ workflow.name }}'"\n${kickoff}`,
    /quotes\.yaml:6:\d+: error: /,
    "env:",
  ],
];

/** Valid files that `run` cannot use. */
const forRunsOnly: Case[] = [
  [
    "a kickoff that addresses no agent",
    "nobody.yaml",
    `${team()}kickoff: please begin\n`,
    "nobody.yaml:5:1: error: the kickoff mentions no agent",
    "such as @alice",
  ],
  [
    "a kickoff that addresses an unknown agent",
    "stranger.yaml",
    `${team()}kickoff: "@alicia begin"\n`,
    "the kickoff mentions no agent",
    "did you mean 'alice'?",
  ],
  ["no kickoff", "waits.yaml", team(), "waits.yaml:1:1: error: there is no kickoff", "use start"],
];

/** Max length of the output, even for a file with very many errors. */
const maxOutput = 20_000;

let program: Program;
beforeAll(async () => {
  program = await openProgram();
  program.write("team.yaml", team() + kickoff);
  program.write("folder/inner.yaml", team());
  for (const [, file, content] of [...everywhere, ...forRunsOnly]) if (content !== null) program.write(file, content);
});
afterAll(() => program[Symbol.asyncDispose]());

describe("validate", () => {
  test.concurrent.each(everywhere)("refuses %s", async (_, file, __, ...says) => {
    const { exitCode, stdout, stderr } = await program.give(["validate", file]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    for (const part of says) expect(stderr).toMatch(part);
    expect(stderr.length).toBeLessThan(maxOutput);
  });

  test("reports all errors at once as JSON", async () => {
    const { exitCode, stdout, stderr } = await program.give(["validate", "types.yaml", "--json"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      valid: false,
      diagnostics: [
        { severity: "error", path: "name", line: 1, column: 7 },
        { path: "agents.bob.tools", line: 4 },
        { path: "agents.bob.timeout", line: 4 },
      ],
    });
    const missing = await program.give(["validate", "nothing.yaml", "--json"]);
    expect(JSON.parse(missing.stdout)).toMatchObject({ valid: false, diagnostics: [{ file: "nothing.yaml" }] });
  });

  test("accepts a valid file, and shows the command to run it", async () => {
    const good = await program.give(["validate", "team.yaml"]);
    expect(good).toMatchObject({ exitCode: 0, stdout: "✓ team.yaml is valid: team, 2 agents\n" });
    expect(good.stderr).toContain("agent-worker run team.yaml");
    expect(await program.ask<object>("validate", "team.yaml")).toEqual({ valid: true, name: "team", diagnostics: [] });
  });

  test.concurrent.each(forRunsOnly)("accepts %s, but does not suggest running it", async (_, file) => {
    const { exitCode, stderr } = await program.give(["validate", file]);
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`agent-worker start ${file}`);
    expect(stderr).not.toContain("agent-worker run");
  });

  test("has not started any process", () => {
    expect(program.processes()).toEqual([]);
  });
});

describe("run", () => {
  test.each([...forRunsOnly, ...everywhere.filter(([, file]) => /nothing|empty/.test(file))])(
    "refuses %s and starts nothing",
    async (_, file, __, ...says) => {
      const { exitCode, stdout, stderr } = await program.give(["run", file]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
      for (const part of says) expect(stderr).toMatch(part);
      expect(await program.ask<object>("ls")).toEqual({ workflows: [], approvals: [] });
    },
  );

  test("reports the error as JSON on stdout with --json", async () => {
    const { exitCode, stdout, stderr } = await program.give(["run", "nobody.yaml", "--json"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "invalid-workflow", details: [{ line: 5 }] } });
  });

  test.each(["..", "a/b"])("refuses the tag '%s'", async (tag) => {
    const { exitCode, stderr } = await program.give(["run", "team.yaml", "--tag", tag]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("tag") });
  });
});

describe("start", () => {
  test("refuses a missing file, and an argument that is neither a file nor a target", async () => {
    expect(await program.give(["start", "nothing.yaml"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("there is no file"),
    });
    const { exitCode, stderr } = await program.give(["start", "nothing"]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringMatching(/no file and no agent named 'nothing'\nagent-worker new nothing creates it/),
    });
  });
});
