/** `bin/agent-worker` in an installed package: finds Bun wherever a package manager puts it, and changes nothing. */
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { cpSync, linkSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { copyFileSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

const flagsFile = "src/system/bun-flags.txt";

const checkout = join(import.meta.dir, "..");
const temporary = realpathSync(mkdtempSync(join(tmpdir(), "launcher-")));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/** What the package `bun` contains instead of Bun until its install script has run. */
const stub = "echo 'the install script was not run' >&2\nexit 1\n";
/** Replaces Bun: prints its name and its arguments. */
const bunNamed = (name: string) => `#!/bin/sh\n[ "$1" = --version ] || echo "${name} $*"\n`;
/** Bun for another platform. */
const foreign = "#!/no/such/loader\n";

let place: string;
let places = 0;
beforeEach(() => {
  place = join(temporary, `place ${(places += 1)}`);
});

describe("finds Bun", () => {
  test.each([
    ["next to it", "node_modules/agent-worker", "node_modules/bun"],
    ["inside it", "lib/node_modules/agent-worker", "lib/node_modules/agent-worker/node_modules/bun"],
    ["next to a package that contains it", "node_modules/other/node_modules/agent-worker", "node_modules/bun"],
    ["next to its scope", "node_modules/@scope/agent-worker", "node_modules/bun"],
    ["in a package that is only unpacked", "unpacked", "unpacked/node_modules/bun"],
  ])("%s", async (_, folder, bun) => {
    placeInstalledBun(join(place, bun));
    expect(await launch(placePackage(folder))).toMatchObject({ exitCode: 0, bun: "installed" });
  });

  test("through a symlink, as pnpm installs it", async () => {
    const store = join(place, "node_modules/.pnpm");
    placeStub(join(store, "bun/node_modules/bun"));
    placeProgram(join(store, "bun/node_modules/@oven/bun-linux-x64/bin/bun"), bunNamed("platform"));
    const command = placePackage("node_modules/.pnpm/agent-worker/node_modules/agent-worker");
    symlinkSync("../../bun/node_modules/bun", join(store, "agent-worker/node_modules/bun"));
    expect(await launch(command)).toMatchObject({ exitCode: 0, bun: "platform" });
  });

  test("in the package of the platform if no install script has run", async () => {
    placeStub(join(place, "node_modules/bun"));
    placeProgram(join(place, "node_modules/@oven/bun-linux-x64/bin/bun"), foreign);
    placeProgram(join(place, "node_modules/@oven/bun-linux-x64-musl/bin/bun"), bunNamed("musl"));
    expect(await launch(placePackage("node_modules/agent-worker"))).toMatchObject({ exitCode: 0, bun: "musl" });
  });

  test("where the install script put it, even if the package of another platform is there too", async () => {
    placeInstalledBun(join(place, "node_modules/bun"));
    placeProgram(join(place, "node_modules/@oven/bun-linux-x64-musl/bin/bun"), bunNamed("musl"));
    expect(await launch(placePackage("node_modules/agent-worker"))).toMatchObject({ exitCode: 0, bun: "installed" });
  });

  test("where the install script copied it", async () => {
    placeProgram(join(place, "node_modules/bun/bin/bun.exe"), bunNamed("installed"));
    placeProgram(join(place, "node_modules/bun/bin/bunx.exe"), bunNamed("installed"));
    expect(await launch(placePackage("node_modules/agent-worker"))).toMatchObject({ exitCode: 0, bun: "installed" });
  });
});

test("starts from the bundle, whatever its modification time", async () => {
  placeInstalledBun(join(place, "node_modules/bun"));
  const command = placePackage("node_modules/agent-worker");
  const bundle = join(dirname(command), "../dist/command-line.js");
  mkdirSync(dirname(bundle));
  writeFileSync(bundle, "");
  utimesSync(bundle, 1, 1);
  expect((await launch(command)).main).toBe(bundle);
});

test("works through npm's symlinks, and changes nothing", async () => {
  placeStub(join(place, "node_modules/bun"));
  placeProgram(join(place, "node_modules/@oven/bun-linux-x64/bin/bun"), bunNamed("platform"));
  const command = placePackage("node_modules/agent-worker");
  mkdirSync(join(place, "node_modules/.bin"));
  const link = join(place, "node_modules/.bin/agent-worker");
  symlinkSync(relative(dirname(link), command), link);
  const before = readdirSync(place, { recursive: true }).sort();
  expect(await launch(link)).toMatchObject({
    exitCode: 0,
    main: join(place, "node_modules/agent-worker/src/main.ts"),
    stderr: "",
  });
  expect(readdirSync(place, { recursive: true }).sort()).toEqual(before);
});

describe("explains what to do", () => {
  test("if Bun is missing", async () => {
    const { exitCode, stderr } = await launch(placePackage("node_modules/agent-worker"));
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: "agent-worker: the package bun is missing; install agent-worker again, with its dependencies\n",
    });
  });

  test("if Bun does not run", async () => {
    placeStub(join(place, "node_modules/bun"));
    const { exitCode, stderr } = await launch(placePackage("node_modules/agent-worker"));
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr:
        "agent-worker: the package bun does not run here; install agent-worker again, with its optional dependencies\n",
    });
  });
});

/** Returns the path of its launcher. */
function placePackage(folder: string): string {
  const root = join(place, folder);
  mkdirSync(join(root, "src"), { recursive: true });
  cpSync(join(checkout, "bin"), join(root, "bin"), { recursive: true });
  cpSync(join(checkout, flagsFile), join(root, flagsFile));
  writeFileSync(join(root, "src/main.ts"), "");
  return join(root, "bin/agent-worker");
}

/** As after the package's install script: one file with two names. */
function placeInstalledBun(folder: string): void {
  placeProgram(join(folder, "bin/bun.exe"), bunNamed("installed"));
  linkSync(join(folder, "bin/bun.exe"), join(folder, "bin/bunx.exe"));
}

function placeStub(folder: string): void {
  placeProgram(join(folder, "bin/bun.exe"), stub);
  copyFileSync(join(folder, "bin/bun.exe"), join(folder, "bin/bunx.exe"));
}

function placeProgram(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o755 });
}

/** Runs a command and returns which Bun started, and the file that it was told to run. */
async function launch(command: string) {
  const child = Bun.spawn([command, "ls"], { cwd: temporary, stdout: "pipe", stderr: "pipe", timeout: 20_000 });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const [, bun, main] = /^(\S+) (?:-\S+ )*(.*) ls\n$/.exec(stdout) ?? [];
  return { exitCode: await child.exited, stderr, bun, main };
}
