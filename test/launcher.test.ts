/** `bin/agent-worker` on copies of the checkout: real sh, real Bun, a fake npm. */
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from "node:fs";
import { rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

const checkout = join(import.meta.dir, "..");
const flagsFile = "src/system/bun-flags.txt";
const temporary = realpathSync(mkdtempSync(join(tmpdir(), "launcher-")));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/** What the copy's `src/main.ts` prints. */
type Started = { args: string[]; cwd: string; env: Record<string, string> };

/** With `NPM_SECONDS` an install takes long enough for simultaneous commands to overlap. */
const npm = `#!/bin/sh
echo "$*" >> "$NPM_CALLS"
pwd > "$NPM_CALLS-folder"
echo "npm warn EBADENGINE Unsupported engine" >&2
[ -z "$NPM_FAILS" ] || { echo "npm error code ENOTFOUND" >&2; exit 1; }
rm -rf node_modules
mkdir -p node_modules/bun/bin
[ -z "$NPM_SECONDS" ] || sleep "$NPM_SECONDS"
if [ -n "$NPM_BLOCKS_SCRIPTS" ]; then
  printf '#!/bin/sh\\nexit 1\\n' > node_modules/bun/bin/bun.exe
  chmod +x node_modules/bun/bin/bun.exe
  echo "const fs = require('fs'); fs.rmSync('bin/bun.exe'); fs.symlinkSync(process.env.REAL_BUN, 'bin/bun.exe');" > node_modules/bun/install.js
else
  ln -s "$REAL_BUN" node_modules/bun/bin/bun.exe
fi
case $* in *--include=dev*) mkdir node_modules/typescript ;; esac
echo '{}' > node_modules/.package-lock.json
`;

const main = `const { args, cwd, env } = { args: process.argv.slice(2), cwd: process.cwd(), env: process.env };
process.stdout.write(JSON.stringify({ args, cwd, env }));
`;

let root: string;
let launcher: string;
let elsewhere: string;
let copies = 0;

beforeEach(() => {
  const place = join(temporary, `copy ${(copies += 1)}`);
  root = join(place, "check out");
  launcher = join(root, "bin/agent-worker");
  elsewhere = join(place, "elsewhere");
  mkdirSync(join(root, "src/worker"), { recursive: true });
  mkdirSync(elsewhere);
  mkdirSync(join(place, "path"));
  cpSync(join(checkout, "bin"), join(root, "bin"), { recursive: true });
  cpSync(join(checkout, "scripts"), join(root, "scripts"), { recursive: true });
  cpSync(join(checkout, flagsFile), join(root, flagsFile));
  writeFileSync(join(root, "package-lock.json"), '{ "version": 1 }\n');
  writeFileSync(join(root, "src/main.ts"), main);
  // The launcher does not depend on what is bundled and how.
  writeFileSync(join(root, "scripts/bundle"), "mkdir -p dist\n");
  writeFileSync(join(place, "path/npm"), npm);
  chmodSync(join(place, "path/npm"), 0o755);
});

describe("finding the checkout", () => {
  test("starts the program with the caller's arguments, folder and environment", async () => {
    const args = ["run", "two words", "", "*", "--flag=$HOME", "-"];
    const { started } = await launch(args, { env: { KEPT: "kept" } });
    expect(started?.args).toEqual(args);
    expect(started?.cwd).toBe(elsewhere);
    expect(started?.env.KEPT).toBe("kept");
  });

  test.each(["absolute", "relative"])("follows a chain of %s symlinks", async (kind) => {
    const first = join(elsewhere, "first link");
    const second = join(temporary, `second-${copies}`);
    symlinkSync(kind === "absolute" ? launcher : relative(elsewhere, launcher), first);
    symlinkSync(kind === "absolute" ? first : relative(temporary, first), second);
    expect((await launch(["--version"], { command: [second] })).started?.args).toEqual(["--version"]);
  });

  test("works through a symlink on PATH, and through a symlinked folder", async () => {
    symlinkSync(relative(elsewhere, launcher), join(elsewhere, "aw"));
    symlinkSync(join(root, "bin"), join(elsewhere, "linked bin"));
    const path = `${elsewhere}:${join(root, "../path")}:${process.env.PATH}`;
    const onPath = await launch(["ls"], { command: ["/bin/sh", "-c", 'aw "$@"', "sh"], env: { PATH: path } });
    expect(onPath.started?.args).toEqual(["ls"]);
    expect((await launch(["ls"], { command: ["./linked bin/agent-worker"] })).started?.args).toEqual(["ls"]);
  });

  test("works as an argument of sh in its own folder", async () => {
    const { started } = await launch(["ls"], { command: ["sh", "agent-worker"], cwd: join(root, "bin") });
    expect(started?.args).toEqual(["ls"]);
  });
});

describe("a hostile folder", () => {
  test("cannot run its code", async () => {
    const canary = join(elsewhere, "canary");
    writeFileSync(join(elsewhere, "preload.ts"), `await Bun.write(${JSON.stringify(canary)}, "");`);
    writeFileSync(join(elsewhere, "bunfig.toml"), 'preload = ["./preload.ts"]\n');
    writeFileSync(join(elsewhere, ".env"), "FROM_DOTENV=1\n");
    const paths = { "*": ["./preload.ts"] };
    writeFileSync(join(elsewhere, "tsconfig.json"), JSON.stringify({ compilerOptions: { paths } }));
    const options = {
      BUN_OPTIONS: "--preload ./preload.ts",
      BUN_INSPECT_PRELOAD: "./preload.ts",
      NODE_OPTIONS: "--require ./preload.ts",
    };
    const { started, exitCode } = await launch(["--version"], { env: options });
    expect(existsSync(canary)).toBe(false);
    expect({ exitCode, args: started?.args }).toEqual({ exitCode: 0, args: ["--version"] });
    expect(started?.env).not.toContainAnyKeys(["FROM_DOTENV", ...Object.keys(options)]);
  });

  test("is not entered if Bun's flags are missing", async () => {
    await launch([]);
    rmSync(join(root, flagsFile));
    const { started, exitCode, stderr } = await launch(["--version"]);
    expect({ started, isRefused: exitCode !== 0 }).toEqual({ started: undefined, isRefused: true });
    expect(stderr).toContain("bun-flags.txt");
  });

  test("is not changed", async () => {
    chmodSync(elsewhere, 0o555);
    expect((await launch(["--version"])).exitCode).toBe(0);
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

describe("installing", () => {
  test("happens once for twenty simultaneous first commands, and leaves no temporary files", async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, index) => launch([`${index}`], { env: { CI: "true", NPM_SECONDS: "0.5" } })),
    );
    expect(all.map(({ started }) => started?.args[0])).toEqual(all.map((_, index) => `${index}`));
    expect(calls()).toEqual(["ci --no-workspaces --include=prod --include=optional --omit=dev"]);
    expect(all.filter(({ stderr }) => stderr.includes("installing packages"))).toHaveLength(1);
    expect(readdirSync(root).sort()).toEqual(["bin", "dist", "node_modules", "package-lock.json", "scripts", "src"]);
  });

  // npm uses the `.npmrc` of its folder and, by default, of a parent that lists it as a workspace.
  test("runs in the checkout, not in the caller's folder", async () => {
    await launch([]);
    expect(readFileSync(join(root, "../calls-folder"), "utf8")).toBe(`${root}\n`);
  });

  test("is silent and does nothing after the first time", async () => {
    await launch([]);
    expect((await launch([])).stderr).toBe("");
    expect(calls()).toHaveLength(1);
  });

  test.each(["newer", "older"])("happens again if the lock file has changed to a %s one", async (age) => {
    await launch([]);
    writeFileSync(join(root, "package-lock.json"), '{ "version": 2 }\n');
    if (age === "older") utimesSync(join(root, "package-lock.json"), 1, 1);
    await launch([]);
    expect(calls()).toHaveLength(2);
  });

  test("does not happen again if only the lock file's modification time has changed", async () => {
    await launch([]);
    utimesSync(join(root, "package-lock.json"), new Date(), new Date());
    expect((await launch([])).exitCode).toBe(0);
    expect(calls()).toHaveLength(1);
  });

  test("starts over after an interrupted install", async () => {
    mkdirSync(join(root, "node_modules/bun/bin"), { recursive: true });
    symlinkSync(process.execPath, join(root, "node_modules/bun/bin/bun.exe"));
    expect((await launch([])).exitCode).toBe(0);
    expect(calls()).toHaveLength(1);
  });

  test("does not happen if npm has already installed everything", async () => {
    mkdirSync(join(root, "node_modules/bun/bin"), { recursive: true });
    symlinkSync(process.execPath, join(root, "node_modules/bun/bin/bun.exe"));
    utimesSync(join(root, "package-lock.json"), 1, 1);
    writeFileSync(join(root, "node_modules/.package-lock.json"), "{}\n");
    expect((await launch([])).exitCode).toBe(0);
    expect(calls()).toEqual([]);
  });

  test("installs Bun if npm does not run install scripts", async () => {
    const { exitCode, stderr } = await launch([], { env: { NPM_BLOCKS_SCRIPTS: "1" } });
    expect({ exitCode, lines: stderr.trim().split("\n").length }).toEqual({ exitCode: 0, lines: 1 });
  });

  test("keeps the development packages of a developer's checkout", async () => {
    mkdirSync(join(root, "node_modules/typescript"), { recursive: true });
    await launch([]);
    expect(calls()).toEqual(["ci --no-workspaces --include=prod --include=optional --include=dev"]);
  });

  test("takes over from a dead process", async () => {
    const dead = Bun.spawn(["true"]);
    await dead.exited;
    symlinkSync(`process-${dead.pid}`, join(root, ".install-owner"));
    expect((await launch([])).exitCode).toBe(0);
    expect(calls()).toHaveLength(1);
  });

  test("that fails shows npm's output, and the next command tries again", async () => {
    const { exitCode, stderr } = await launch([], { env: { NPM_FAILS: "1" } });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      "agent-worker: the packages could not be installed; output of npm:\n  npm error code ENOTFOUND\n",
    );
    expect(stderr).not.toContain("EBADENGINE");
    expect((await launch([])).exitCode).toBe(0);
  });

  test("explains what to do if there is no npm", async () => {
    const { exitCode, stderr } = await launch([], { command: ["/bin/sh", launcher], env: { PATH: toolsWithoutNpm() } });
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("install Node.js 20") });
  });
});

type Launch = { command?: string[]; cwd?: string; env?: Record<string, string> };

async function launch(args: string[], { command = [launcher], cwd = elsewhere, env = {} }: Launch = {}) {
  const child = Bun.spawn([...command, ...args], {
    cwd,
    env: {
      PATH: `${join(root, "../path")}:${process.env.PATH}`,
      HOME: temporary,
      NPM_CALLS: join(root, "../calls"),
      REAL_BUN: process.execPath,
      ...env,
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: 20_000,
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const started: Started | undefined = exitCode === 0 ? JSON.parse(stdout) : undefined;
  return { started, stderr, exitCode };
}

/** The arguments of each call of npm so far. */
function calls(): string[] {
  const file = join(root, "../calls");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

/** A PATH with every tool that the scripts call, but without npm and node. */
function toolsWithoutNpm(): string {
  const folder = join(root, "../tools");
  mkdirSync(folder);
  for (const tool of ["sh", "ln", "rm", "cmp", "readlink", "sleep", "grep", "tail", "sed"]) {
    const path = Bun.which(tool);
    if (path) symlinkSync(path, join(folder, tool));
  }
  return folder;
}
