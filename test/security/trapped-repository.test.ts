/** A hostile repository: listing, checking or starting its workflow runs none of its code; only its agents' turns do. */
import { expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openProgram, type Program } from "../fixtures/program.ts";
import { plantTraps } from "../fixtures/traps.ts";

/** A command that records which trap was triggered. */
const trap = (canary: string, who: string) => `echo ${who} >> '${canary}'`;

function plantMore(program: Program, canary: string): void {
  const git = (...args: string[]) => {
    const env = { PATH: process.env.PATH ?? "", HOME: program.path, GIT_CONFIG_NOSYSTEM: "1" };
    Bun.spawnSync(["git", "-C", program.project, ...args], { env });
  };
  git("init", "--quiet");
  for (const hook of ["post-checkout", "post-index-change", "reference-transaction", "pre-commit", "fsmonitor"]) {
    chmodSync(program.write(`.git/hooks/${hook}`, `#!/bin/sh\n${trap(canary, `hook-${hook}`)}\n`), 0o755);
  }
  git("config", "core.fsmonitor", ".git/hooks/fsmonitor");
  git("config", "core.sshCommand", trap(canary, "ssh"));
  git("config", "alias.status", `!${trap(canary, "alias")}`);
  program.write(
    "tools.ts",
    `import { appendFileSync } from "node:fs";
appendFileSync(${JSON.stringify(canary)}, "module\\n");
export const work = { execute: () => "worked" };`,
  );
  chmodSync(program.write("server.sh", `#!/bin/sh\n${trap(canary, "server")}\n`), 0o755);
  program.write(".mcp.json", JSON.stringify({ mcpServers: { x: { command: "./server.sh" } } }));
  const hooks = { SessionStart: [{ hooks: [{ type: "command", command: trap(canary, "claude") }] }] };
  program.write(".claude/settings.json", JSON.stringify({ hooks }));
  program.write(".claude/skills/evil/SKILL.md", `---\nname: evil\ndescription: $(${trap(canary, "skill")})\n---\n`);
  program.write(".claude/skills/evil/scripts/setup.sh", trap(canary, "script"));
  program.write(".agents/skills/fifo/readme", "");
  Bun.spawnSync(["mkfifo", join(program.project, ".agents/skills/fifo/SKILL.md")]);
  program.write(
    "open.yaml",
    `agents:
  alice:
    backend: mock
    tools: [bash, ./tools.ts]
    mcp_servers: { trap: { command: ./server.sh, timeout: 2s } }
    skills: [./.claude/skills, "file:///nowhere/at/all"]
  bob:
    backend: mock
    tools: [./tools.ts]
    script: [[{ tool: { name: work } }, { say: "\${{ result }}" }]]
`,
  );
}

test("listing, checking and starting its workflow runs none of its code; a turn runs what it declares", async () => {
  await using program = await openProgram();
  const canary = plantTraps(program);
  plantMore(program, canary);
  const lines = [
    ["validate", "open.yaml"],
    ["validate", "trap.yaml"],
    ["run", "open.yaml", "--help"],
    ["schema"],
    ["skill", "list"],
    ["ls"],
    ["start", "open.yaml", "-d"],
    ["ls"],
    ["status", "@open"],
    ["tool", "list", "@open"],
    ["tool", "list", "alice@open", "--json"],
    ["skill", "list", "alice@open"],
    ["doc", "list", "@open"],
    ["logs", "@open"],
    ["inbox", "@open"],
    ["tool", "import", "alice@open", "./tools.ts"],
  ];
  for (const line of lines) {
    const { exitCode, stderr } = await program.give(line);
    expect({ line, exitCode, stderr: exitCode === 0 ? "" : stderr }).toEqual({ line, exitCode: 0, stderr: "" });
    expect({ line, sprung: existsSync(canary) ? readFileSync(canary, "utf8") : "" }).toEqual({ line, sprung: "" });
  }
  // The traps are real: a turn of an agent that declares the module loads it, and nothing else.
  expect((await program.give(["send", "bob@open", "go", "--wait"])).stdout).toContain("worked");
  expect(readFileSync(canary, "utf8")).toBe("module\n");
}, 60_000);
