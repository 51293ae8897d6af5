/** A folder made by somebody else: giving commands in it runs nothing of it and believes nothing it says. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openProgram, type Program } from "../fixtures/program.ts";

/** Shows what its tools and setup see of the folder's `.env`. */
const workflow = `agents:
  alice:
    backend: mock
    tools: [bash]
    script:
      - - tool: { name: bash, args: { command: 'echo "tool: <$PLANTED>"' } }
        - say: "\${{ result }}"
setup:
  - shell: 'echo "setup: <$PLANTED>"'
    as: seen
kickoff: "@alice begin. \${{ seen }}"
`;

/** Files that one tool or another would obey; each would make the canary. */
function plant(program: Program): string {
  const canary = join(program.path, "canary");
  const elsewhere = join(program.path, "other-home");
  const sing = `require("node:fs").writeFileSync(${JSON.stringify(canary)}, __filename);\n`;
  program.write("preload.cjs", sing);
  program.write("bunfig.toml", 'preload = ["./preload.cjs"]\n[run]\nbun = true\n[test]\npreload = ["./preload.cjs"]\n');
  const variables = {
    AGENT_WORKER_HOME: elsewhere,
    AGENT_WORKER_LOCAL: "1",
    BUN_OPTIONS: "--preload ./preload.cjs",
    NODE_OPTIONS: "--require ./preload.cjs",
    BUN_INSPECT: "1",
    PLANTED: "planted",
  };
  const env = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  for (const name of [".env", ".env.local", ".env.development", ".env.production"]) program.write(name, env.join(""));
  program.write(".npmrc", "node-options=--require ./preload.cjs\nscript-shell=./preload.cjs\n");
  const scripts = { preinstall: "touch ../canary", prestart: "touch ../canary", postinstall: "touch ../canary" };
  program.write("package.json", JSON.stringify({ name: "trap", main: "preload.cjs", scripts }));
  program.write("tsconfig.json", JSON.stringify({ compilerOptions: { paths: { commander: ["./preload.cjs"] } } }));
  for (const name of ["commander", "hono", "zod", "yaml", "bun", "worker", "@modelcontextprotocol/client"]) {
    program.write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: "index.js" }));
    program.write(`node_modules/${name}/index.js`, sing);
  }
  program.write("trap.yaml", workflow);
  return canary;
}

test("runs none of it, for any command", async () => {
  await using program = await openProgram();
  const canary = plant(program);
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
  const canary = plant(program);
  const preload = join(program.project, "preload.cjs");
  const env = { BUN_OPTIONS: `--preload ${preload}`, NODE_OPTIONS: `--require ${preload}` };
  expect(await program.give(["run", "trap.yaml"], { env })).toMatchObject({ exitCode: 0 });
  expect(existsSync(canary)).toBe(false);
});
