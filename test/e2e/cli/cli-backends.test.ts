/** `backends`: finds programs, runs them in a neutral folder, and never takes them from the project. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openProgram, type Program } from "../../fixtures/program.ts";

type State = {
  backend: string;
  path: string | null;
  version: string | null;
  loggedIn: boolean | null;
  fix: string | null;
};

let program: Program;
let tools: string;
beforeEach(async () => {
  program = await openProgram();
  tools = join(program.path, "tools");
  mkdirSync(tools);
});
afterEach(() => program[Symbol.asyncDispose]());

function install(folder: string, name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

async function states(PATH: string, env: Record<string, string> = {}): Promise<Record<string, State>> {
  const usual = process.env["PATH"] ?? "";
  const options = { env: { HOME: program.home, ...env, PATH: `${PATH}:${usual}` } };
  const { exitCode, stdout, stderr } = await program.give(["backends", "--json"], options);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const list: State[] = JSON.parse(stdout);
  return Object.fromEntries(list.map((state) => [state.backend, state]));
}

test("shows version and login of installed programs, and how to install the others", async () => {
  install(tools, "claude", `[ "$1" = --version ] && echo "2.1.7 (Claude Code)" || echo '{ "loggedIn": true }'`);
  install(tools, "codex", `[ "$1" = --version ] && echo codex-cli 0.166.0 || { echo Not logged in >&2; exit 1; }`);
  const { claude, codex, cursor, mock } = await states(tools);
  expect(claude).toMatchObject({ path: join(tools, "claude"), version: "2.1.7", loggedIn: true, fix: null });
  expect(codex).toMatchObject({ version: "0.166.0", loggedIn: false, fix: expect.stringContaining("codex login") });
  expect(cursor).toMatchObject({ path: null, fix: expect.stringContaining("cursor.com") });
  expect(mock).toMatchObject({ builtIn: true });
});

test("a key in the environment counts as a login", async () => {
  install(tools, "claude", "echo 2.1.7");
  expect((await states(tools, { ANTHROPIC_API_KEY: "x" }))["claude"]).toMatchObject({ loggedIn: true });
});

test("a different program with the same name is reported, with the fix", async () => {
  install(tools, "claude", "echo meow");
  const { claude } = await states(tools);
  expect(claude).toMatchObject({ version: null, fix: expect.stringContaining("npm install -g") });
});

test("runs no program from the project, and starts programs in another folder", async () => {
  install(program.project, "claude", "touch trapped; echo 2.1.7");
  install(tools, "codex", `pwd > "${program.path}/asked"; echo 0.166.0`);
  const { claude } = await states(`${program.project}:${tools}`);
  expect(claude?.path ?? "").not.toContain(program.project);
  expect(existsSync(join(program.project, "trapped"))).toBe(false);
  expect(await Bun.file(join(program.path, "asked")).text()).not.toContain(program.project);
});

test("prints a table for people", async () => {
  const { stdout } = await program.give(["backends"], { env: { PATH: `${tools}:${process.env["PATH"]}` } });
  expect(stdout).toMatch(/^BACKEND\s+VERSION\s+LOGGED IN/);
  expect(stdout).toMatch(/^mock\s+built in/m);
});
