/** The commands `tool` and `skill`. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openProgram, type Program, type SharedProgram } from "../../fixtures/program.ts";
import { makeSkillRepository, skillText } from "../../fixtures/skill-repository.ts";

// Each test runs several commands, and the machine can be busy.
setDefaultTimeout(30_000);

const team = `agents:
  alice:
    backend: mock
    tools: [read_file, ./tools.ts]
    mcp_servers: { docs: { url: http://127.0.0.1:9/mcp } }
    skills: [./skills, owner/repo]
  bob:
    backend: mock
    script:
      - on: shell
        do: [{ tool: { name: bash, args: { command: echo real } } }, { say: "\${{ result }}" }]
      - on: shout
        do: [{ tool: { name: shout } }, { say: "\${{ result }}" }]
  carol: { backend: mock, tools: [bash], mcp_servers: { docs: { url: http://127.0.0.1:9/mcp } } }
`;

/** Has a team that no test changes. */
let shared: Program;
beforeAll(async () => {
  shared = await openProgram();
  await started(shared);
});
afterAll(() => shared[Symbol.asyncDispose]());

async function started<In extends SharedProgram>(program: In): Promise<In> {
  program.write("tools.ts", `export const shout = { execute: () => "HELLO" };`);
  program.write("skills/pdf/SKILL.md", skillText("pdf", "Reads PDF files"));
  program.write("team.yaml", team);
  expect(await program.give(["start", "team.yaml", "-d"])).toMatchObject({ exitCode: 0 });
  return program;
}

const say = async (program: SharedProgram, text: string) =>
  (await program.give(["send", "bob@team", text, "--wait"])).stdout.trim();

test("tool list shows the agents' tools and where they come from", async () => {
  const { stdout } = await shared.give(["tool", "list", "alice@team"]);
  expect(stdout).toMatch(
    /built-in +read_file\nmodule +\S+tools\.ts\nMCP server +docs +http:\S+\n[^]*skills +owner\/repo/,
  );
  const { agents } = await shared.ask<{ agents: { agent: string; tools: { name: string }[] }[] }>(
    "tool",
    "list",
    "@team",
  );
  expect(agents.map(({ agent, tools }) => [agent, tools.length])).toEqual([
    ["alice", 5],
    ["bob", 0],
    ["carol", 2],
  ]);
  const [module] = agents[0]?.tools.filter(({ name }) => name.endsWith("tools.ts")) ?? [];
  expect(module?.name).toBe(join(shared.project, "tools.ts"));
});

test("tools are added, imported, mocked and removed, from the next turn on", async () => {
  const program = await started(shared.inAnotherProject());
  expect(await say(program, "shell")).not.toContain("real");
  await program.give(["tool", "add", "bob@team", "bash"]);
  expect(await say(program, "shell")).toBe("real");
  expect(await program.give(["tool", "mock", "bob@team", "bash", '{"fixed":1}'])).toMatchObject({ exitCode: 0 });
  expect(await say(program, "shell")).toBe('{"fixed":1}');
  await program.give(["tool", "remove", "bob@team", "bash"]);
  await program.give(["tool", "import", "bob@team", "./tools.ts"]);
  expect(await say(program, "shout")).toBe("HELLO");
  expect((await program.give(["tool", "list", "bob@team"])).stdout).toContain("added");
});

test("an MCP server's tool is mocked by name, and a name that a module may not have gets a warning", async () => {
  const program = await started(shared.inAnotherProject());
  const mock = (target: string, name: string) => program.give(["tool", "mock", target, name, "1"]);
  expect(await mock("carol@team", "docs_read")).toMatchObject({ exitCode: 0 });
  const doubtful = await mock("alice@team", "shuot");
  expect(doubtful.exitCode).toBe(0);
  expect(doubtful.stderr).toContain("not checked: whether tools.ts has a tool named shuot");
  expect((await mock("alice@team", "read_file")).stderr).not.toContain("not checked");
});

test.each([
  [["tool", "add", "bob@team", "bsh"], "did you mean 'bash'"],
  [["tool", "add", "bob@team", "nosuch"], "agent-worker tool import bob@team <file> adds the tools of a module"],
  [["tool", "add", "bob@team"], "missing tool"],
  [["tool", "import", "bob@team", "none.ts"], "no such file: none.ts"],
  [["tool", "import", "bob@team", "team.yaml"], "is not a module"],
  [["tool", "mock", "bob@team", "bash", "not json"], "not JSON"],
  [["tool", "mock", "bob@team", "bash"], "one answer"],
  [["tool", "mock", "bob@team", "channel_send", "1"], "cannot be mocked"],
  [["tool", "mock", "bob@team", "nosuch", "1"], "the agent has no tool 'nosuch'"],
  [["tool", "mock", "bob@team", "bash", "1"], "agent-worker tool add bob@team bash gives it that tool"],
  [["tool", "mock", "carol@team", "bsh", "1"], "did you mean 'bash'?"],
  [["tool", "mock", "carol@team", "find", "1"], "it has bash, skill, docs_…; agent-worker tool list carol@team"],
  [["tool", "remove", "bob@team", "bash"], "was not added"],
  [["tool", "mock", "@team", "bash", "1"], "needs an agent"],
  [["tool", "lst", "bob@team"], "unknown subcommand 'lst' for tool"],
  [["skill", "lst"], "unknown subcommand 'lst' for skill"],
  [["skill", "import"], "missing source"],
  [["skill", "import", "ext::sh -c true"], "not a source of skills"],
  [["skill", "import", "./skills/none"], "no skill in"],
])("%j exits with 2", async (line, reason) => {
  const { exitCode, stderr } = await shared.give(line);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(reason) });
});

test("skills are imported from a repository, listed and used", async () => {
  const program = shared.inAnotherProject();
  const { url, canary } = makeSkillRepository(program.path);
  const env = { HOME: join(program.path, "user") };
  expect(await program.give(["skill", "import", `${url}@v1:{pdf}`], { env })).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("imported pdf into"),
  });
  const again = await program.give(["skill", "import", url], { env });
  expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("--force") });
  expect((await program.give(["skill", "list"], { env })).stdout).toMatch(/pdf +\.agents\/skills +Reads PDF files/);
  program.write(
    "team.yaml",
    `agents: { a: { backend: mock, script: [[{ tool: { name: skill, args: { name: pdf } } }, { say: "\${{ result }}" }]] } }
kickoff: "@a begin"`,
  );
  expect((await program.give(["run", "team.yaml"], { env })).stdout).toContain("How to pdf.");
  expect(existsSync(canary)).toBe(false);
});
