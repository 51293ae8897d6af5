/** Agents with their own tools: modules, MCP servers, and what happens when one of them fails. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bun } from "../../src/system/self.ts";
import { openProgram } from "../fixtures/program.ts";
import { until } from "../fixtures/until.ts";

// Each test runs several commands, and the machine can be busy.
setDefaultTimeout(30_000);

const server = join(import.meta.dir, "../fixtures/mcp-program.ts");

test("an agent uses a module next to the workflow file and an MCP server; no process is left running", async () => {
  await using program = await openProgram();
  program.write(
    "sub/tools.ts",
    `export const shout = { description: "Shouts", execute: ({ text }) => text.toUpperCase() + process.cwd() };`,
  );
  const [command, ...flags] = bun;
  const args = JSON.stringify([...flags, server]);
  const file = program.write(
    "sub/team.yaml",
    `agents:
  alice:
    backend: mock
    tools: [./tools.ts]
    mcp_servers: { calc: { command: ${JSON.stringify(command)}, args: ${args} } }
    script:
      - - tool: { name: shout, args: { text: hello } }
        - expect: ^HELLO/.*project$
        - tool: { name: calc_add, args: { a: 20, b: 22 } }
        - say: "\${{ result }}"
kickoff: "@alice begin"
`,
  );
  expect(await program.ask("run", file)).toMatchObject({ output: "42" });
  await until(() => program.processes().length < 5);
  await program.give(["daemon", "stop"]);
});

test("a module's imports are resolved with the paths of its tsconfig.json", async () => {
  await using program = await openProgram();
  const paths = { "@library/*": ["./library/*"] };
  program.write("sub/tsconfig.json", JSON.stringify({ compilerOptions: { paths } }));
  program.write("sub/library/loud.ts", `export const loud = (text: string) => text.toUpperCase();`);
  program.write(
    "sub/tools.ts",
    `import { loud } from "@library/loud"; export const shout = { execute: () => loud("hello") };`,
  );
  const file = program.write(
    "sub/team.yaml",
    `agents:
  alice: { backend: mock, tools: [./tools.ts], script: [[{ tool: { name: shout } }, { say: "\${{ result }}" }]] }
kickoff: "@alice begin"
`,
  );
  expect(await program.ask("run", file)).toMatchObject({ output: "HELLO" });
});

test("a module's missing package is not installed, even if the folder configures a registry", async () => {
  await using program = await openProgram();
  const asked: string[] = [];
  await using registry = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch({ url }) {
      asked.push(url);
      return new Response(null, { status: 404 });
    },
  });
  const url = `http://127.0.0.1:${registry.port}/`;
  for (const name of [".npmrc", ".bunfig.toml", "bunfig.toml"]) {
    const text = name === ".npmrc" ? `registry=${url}\n` : `[install]\nregistry = "${url}"\n`;
    for (const folder of [program.project, program.path]) writeFileSync(join(folder, name), text);
  }
  // Bun looks for the registry in both folders.
  Object.assign(program.env, { HOME: program.path, XDG_CONFIG_HOME: program.path });
  program.write("tools.ts", `import "no-such-package"; export const work = { execute: () => "worked" };`);
  program.write(
    "team.yaml",
    `agents:
  alice: { backend: mock, retry: { attempts: 1 }, tools: [./tools.ts], script: [[{ say: never }]] }
kickoff: "@alice begin"
`,
  );
  expect((await program.give(["run", "team.yaml"])).exitCode).toBe(1);
  expect((await program.give(["inbox", "@team", "--dead"])).stdout).toContain("no-such-package");
  expect(asked).toEqual([]);
});

test.each([
  ["a module that throws", "tools: [./tools.ts]", "tools.ts cannot be loaded: no key here"],
  ["a missing server", "mcp_servers: { calc: { command: no-such-thing } }", "there is no program no-such-thing"],
  [
    "a server that never answers",
    "mcp_servers: { calc: { command: sleep, args: ['1000'], timeout: 300ms } }",
    "did not answer within 0.3 s",
  ],
])("%s fails that agent's turn with the reason, and other agents continue", async (_, line, reason) => {
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
  await until(() => program.processes().length < 5);
});

test.each([
  [
    "leaves a rejection unhandled",
    `() => { void Promise.reject(new Error("no luck")); return new Promise(() => {}); }`,
    /sub\/tools\.ts threw an uncaught error: no luck; fix it: await its promises/,
  ],
  [
    "throws in a timer",
    `() => new Promise(() => setTimeout(() => { throw new Error("too late"); }, 1))`,
    /sub\/tools\.ts threw an uncaught error: too late; fix it/,
  ],
  [
    "rejects with a value without a stack trace",
    `() => { void Promise.reject("plain words"); return new Promise(() => {}); }`,
    /plain words; this uncaught error may come from sub\/tools\.ts: await its promises/,
  ],
  [
    "exits in a timer",
    `() => new Promise(() => setTimeout(() => process.exit(0), 1))`,
    /exited with code 0.*sub\/tools\.ts ended the worker with process\.exit: have its tools return a result/s,
  ],
])("a module that %s is named in the reason, and other agents continue", async (_, execute, reason) => {
  await using program = await openProgram();
  program.write("sub/tools.ts", `export const go = { execute: ${execute} };`);
  program.write(
    "team.yaml",
    `agents:
  alice:
    backend: mock
    retry: { attempts: 1 }
    tools: [./sub/tools.ts]
    script: [[{ tool: { name: go } }, { say: never }]]
  bob: { backend: mock, script: [[{ say: bob is fine }]] }
kickoff: "@alice @bob begin"
`,
  );
  const { exitCode, stdout } = await program.give(["run", "team.yaml", "--json"]);
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ output: "bob is fine" });
  expect(JSON.parse((await program.give(["inbox", "@team", "--dead", "--json"])).stdout)).toMatchObject({
    deliveries: [{ reason: expect.stringMatching(reason) }],
  });
});

test("a module that exits while it loads is named in the reason", async () => {
  await using program = await openProgram();
  program.write("tools.ts", "process.exit(3);");
  const agent = `{ backend: mock, retry: { attempts: 1 }, tools: [./tools.ts], script: [[{ say: never }]] }`;
  program.write("team.yaml", `agents:\n  alice: ${agent}\nkickoff: "@alice begin"\n`);
  expect((await program.give(["run", "team.yaml"])).exitCode).toBe(1);
  const { stdout } = await program.give(["inbox", "@team", "--dead", "--json"]);
  expect(stdout).toContain("tools.ts ended the worker with process.exit");
});

test("the output of a module that ended its worker is shown without secrets", async () => {
  await using program = await openProgram();
  const secret = "s3cret-of-the-shop-0123456789";
  program.write("tools.ts", "console.log(`paying with ${process.env.SHOP_TOKEN}`); process.exit(3);");
  const env = `env: { SHOP_TOKEN: "\${{ env.SHOP_TOKEN }}" }`;
  const agent = `{ backend: mock, retry: { attempts: 1 }, tools: [./tools.ts], ${env}, script: [[{ say: never }]] }`;
  program.write("team.yaml", `agents:\n  alice: ${agent}\nkickoff: "@alice begin"\n`);
  const { stderr } = await program.give(["run", "team.yaml"], { env: { SHOP_TOKEN: secret } });
  const { stdout } = await program.give(["inbox", "@team", "--dead", "--json"]);
  expect(stdout).toContain("paying with [redacted]");
  expect(stdout + stderr).not.toContain(secret);
});
