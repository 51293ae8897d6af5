/** The package as users install it: its contents, and that it runs with only what npm installs. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../src/protocol/version.ts";
import { copyCheckout, linkPackages } from "../fixtures/checkout-copy.ts";
import { temporaryFolder } from "../fixtures/folder.ts";
import { openProgram } from "../fixtures/program.ts";

/** npm takes most of this time, depending on its cache. */
const limitMs = 120_000;
const runsAll = Boolean(process.env["AGENT_WORKER_TEST_ALL"]);

const documents = ["CHANGELOG.md", "CONTEXT.md", "LICENSE", "README.md"];
const contents = [...documents, "bin", "docs", "examples", "package.json", "src", "tsconfig.json"];

/** Its tools are loaded as modules, or run as processes. */
const workflow = `agents:
  alice:
    backend: mock
    tools: [./tools.ts, search_code]
    script:
      - - tool: { name: search_code, args: { pattern: toUpperCase } }
        - expect: "tools.ts:1:"
        - tool: { name: shout, args: { text: hello } }
        - say: "@user \${{ result }}"
kickoff: "@alice begin"
`;
const tools = `export const shout = { execute: ({ text }: { text: string }) => text.toUpperCase() };\n`;

test(
  "a package contains no tests, and runs a team wherever npm installs Bun",
  async () => {
    await using folder = await temporaryFolder();
    const { clone, app } = prepare(folder.path);
    const tarball = await pack(clone);
    const files = (await run(folder.path, "tar", "-tzf", tarball)).trim().split("\n");
    expect(files.filter((file) => file.endsWith(".test.ts"))).toEqual([]);
    expect([...new Set(files.map((file) => file.split("/")[1]))].sort()).toEqual(contents);

    const command = join(app, "node_modules/.bin/agent-worker");
    await npm(app, "install", "--prefix", app, "--ignore-scripts", tarball);
    await expectRun(command, app);
    // Bun's install script moves it.
    await npm(app, "rebuild", "--prefix", app, "bun");
    expect(await run(folder.path, command, "--version")).toBe(`${version}\n`);

    writeFileSync(join(app, "library.ts"), 'import { run } from "agent-worker";\nconsole.log(typeof run);\n');
    expect(await run(app, join(app, "node_modules/.bin/bun"), "library.ts")).toBe("function\n");
  },
  limitMs,
);

/** Ways to install; each returns the path of the installed command. */
const ways: Record<string, (clone: string, app: string) => Promise<string>> = {
  "globally, from a tarball": async (clone, app) => {
    await npm(app, "install", "--global", "--prefix", app, await pack(clone));
    return join(app, "bin/agent-worker");
  },
  "from a git URL": async (clone, app) => {
    await npm(app, "install", "--prefix", app, `git+file://${clone}`);
    return join(app, "node_modules/.bin/agent-worker");
  },
  "globally, from a git URL": async (clone, app) => {
    await npm(app, "install", "--global", "--prefix", app, `git+file://${clone}`);
    return join(app, "bin/agent-worker");
  },
};

describe.if(runsAll)("a package can be installed", () => {
  test.each(Object.entries(ways))(
    "%s",
    async (_, install) => {
      await using folder = await temporaryFolder();
      const { clone, app } = prepare(folder.path);
      await expectRun(await install(clone, app), app);
    },
    limitMs,
  );

  test(
    "with bundles, and then starts from them",
    async () => {
      await using folder = await temporaryFolder();
      const { clone, app } = prepare(folder.path);
      linkPackages(clone);
      const tarball = await run(clone, "sh", "scripts/package", folder.path);
      await npm(app, "install", "--prefix", app, tarball.trim());
      const daemon = await expectRun(join(app, "node_modules/.bin/agent-worker"), app);
      expect(daemon).toContain(join(app, "node_modules/agent-worker/dist/daemon.js"));
    },
    limitMs,
  );
});

/** A clean clone, and an empty folder to install its package into. */
function prepare(folder: string): { clone: string; app: string } {
  const [clone, app] = [join(folder, "clone"), join(folder, "app")];
  copyCheckout(clone);
  mkdirSync(app);
  return { clone, app };
}

async function pack(clone: string): Promise<string> {
  return join(clone, (await npm(clone, "pack", "--silent")).trim());
}

/** Loads the packages of a model provider in a worker; the provider cannot be reached. */
const modelWorkflow = `agents:
  bob:
    model: anthropic/claude-sonnet-4-5
    provider: { name: anthropic, base_url: "http://127.0.0.1:9", api_key: $TEST_KEY }
    retry: { attempts: 1 }
kickoff: "@bob begin"
`;

/** Runs an installed command in another folder with an empty home; returns the command line of its daemon. */
async function expectRun(command: string, app: string): Promise<string[]> {
  // The project that has the package installed is not trusted either: its aliases must not replace our dependencies.
  const canary = join(app, "canary");
  const evil = `require("node:fs").writeFileSync(${JSON.stringify(canary)}, "");\n`;
  writeFileSync(join(app, "evil.cjs"), evil);
  writeFileSync(join(app, "tsconfig.json"), '{ "compilerOptions": { "paths": { "*": ["./evil.cjs"] } } }\n');
  await using program = await openProgram(command);
  const HOME = join(program.path, "empty");
  mkdirSync(HOME);
  const give = (...line: string[]) => program.give(line, { env: { HOME } });
  program.write("tools.ts", tools);
  program.write("shout.yaml", workflow);
  expect(await give("--version")).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: "" });
  expect(await give("validate", "shout.yaml")).toMatchObject({ exitCode: 0 });
  expect(await give("run", "shout.yaml")).toMatchObject({ exitCode: 0, stdout: "@user HELLO\n" });

  program.write("model.yaml", modelWorkflow);
  const failed = await program.give(["run", "model.yaml"], { env: { HOME, TEST_KEY: "key-0123456789abcdef" } });
  expect(failed).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("127.0.0.1:9") });
  expect(existsSync(canary)).toBe(false);
  rmSync(join(app, "tsconfig.json"));

  const { stdout } = await give("daemon", "status", "--json");
  const { pid }: { pid: number } = JSON.parse(stdout);
  expect(readlinkSync(`/proc/${pid}/exe`)).toStartWith(`${app}/`);
  const started = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  expect(await give("daemon", "stop")).toMatchObject({ exitCode: 0 });
  return started;
}

function npm(folder: string, ...args: string[]): Promise<string> {
  return run(folder, "npm", ...args, "--prefer-offline", "--no-audit", "--no-fund");
}

/** The output of a command; throws if the command fails. */
async function run(folder: string, ...command: string[]): Promise<string> {
  const child = Bun.spawn(command, {
    cwd: folder,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: limitMs,
    killSignal: "SIGKILL",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}:\n${stdout}${stderr}`);
  return stdout;
}
