/** Agents with tools of their own: modules, MCP servers, and what happens when one of them cannot be had. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { openProgram } from "../fixtures/program.ts";

// Each test gives several commands, on a machine that may be busy.
setDefaultTimeout(30_000);

const server = join(import.meta.dir, "../fixtures/mcp-program.ts");

test("an agent uses a module beside the workflow file and an MCP server; nothing is left running", async () => {
  await using program = await openProgram();
  program.write(
    "sub/tools.ts",
    `export const shout = { description: "Shouts", execute: ({ text }) => text.toUpperCase() + process.cwd() };`,
  );
  const args = JSON.stringify(["--no-env-file", server]);
  const file = program.write(
    "sub/team.yaml",
    `agents:
  alice:
    backend: mock
    tools: [./tools.ts]
    mcp_servers: { calc: { command: ${JSON.stringify(process.execPath)}, args: ${args} } }
    script:
      - - tool: { name: shout, args: { text: hello } }
        - expect: ^HELLO/.*project$
        - tool: { name: calc_add, args: { a: 20, b: 22 } }
        - say: "\${{ result }}"
kickoff: "@alice begin"
`,
  );
  expect(await program.ask("run", file)).toMatchObject({ output: "42" });
  const before = program.processes().length;
  await program.give(["daemon", "stop"]);
  expect(before).toBeLessThan(5);
});

test.each([
  ["a module that throws", "tools: [./tools.ts]", "tools.ts cannot be loaded: no key here"],
  [
    "a server that is missing",
    "mcp_servers: { calc: { command: no-such-thing } }",
    "there is no program no-such-thing",
  ],
  [
    "a server that never answers",
    "mcp_servers: { calc: { command: sleep, args: ['1000'], timeout: 300ms } }",
    "did not answer within 0.3 s",
  ],
])("%s ends that agent's turn with the reason, and others go on", async (_, line, reason) => {
  await using program = await openProgram();
  program.write("tools.ts", `throw new Error("no key here");`);
  program.write(
    "team.yaml",
    `agents:
  alice: { backend: mock, retry: { attempts: 1 }, ${line}, script: [[{ say: never }]] }
  bob: { backend: mock, script: [[{ say: bob is fine }]] }
kickoff: "@alice @bob begin"
`,
  );
  const { exitCode, stdout } = await program.give(["run", "team.yaml", "--json"]);
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ output: "bob is fine" });
  expect((await program.give(["inbox", "@team", "--dead"])).stdout).toContain(reason);
  expect(program.processes().length).toBeLessThan(5);
});
