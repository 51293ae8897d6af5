/** An untrusted folder: commands in it run none of its files and load none of its configuration. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../src/protocol/version.ts";
import { bun } from "../../../src/system/self.ts";
import { type RunnableCheckout, runnableCheckout } from "../../fixtures/runnable-checkout.ts";
import { openProgram } from "../../fixtures/program.ts";
import { plantTraps } from "../../fixtures/traps.ts";

// Each test runs several commands, and the machine can be busy.
setDefaultTimeout(60_000);

/** A folder without traps has those of its parents. If a folder has both files, Bun reads only `tsconfig.json`. */
const forms = [
  { form: "bundles", aliases: "tsconfig.json", place: "the folder" },
  { form: "bundles", aliases: "jsconfig.json", place: "a parent" },
  { form: "sources", aliases: "jsconfig.json", place: "the folder" },
  { form: "sources", aliases: "tsconfig.json", place: "a parent" },
] as const;

let copies: Record<(typeof forms)[number]["form"], RunnableCheckout>;
beforeAll(async () => {
  copies = { bundles: await runnableCheckout("bundles"), sources: await runnableCheckout("sources") };
});
afterAll(() => Promise.all(Object.values(copies).map((copy) => copy[Symbol.asyncDispose]())));

test.each(forms)(
  "runs none of the folder's files, from $form, with $aliases in $place",
  async ({ form, aliases, place }) => {
    const { root, launcher } = copies[form];
    await using program = await openProgram(launcher);
    const canary = plantTraps(program, { aliases, root });
    const cwd = join(program.project, place === "the folder" ? "." : "inner/folder");
    mkdirSync(cwd, { recursive: true });
    const file = join(program.project, "trap.yaml");
    const lines = [
      ["--version"],
      ["validate", file],
      ["ls"],
      ["run", file, "--json"],
      ["start", file, "-d", "--tag", "stays"],
      ["send", "alice@trap:stays", "hello", "--wait"],
      ["logs", "@trap:stays"],
      ["daemon", "status"],
    ];
    for (const line of lines) {
      const { exitCode, stdout, stderr } = await program.give(line, { cwd });
      expect({ line, sprung: triggered(canary) }).toEqual({ line, sprung: "" });
      expect({ line, exitCode, stderr: exitCode === 0 ? "" : stderr }).toEqual({ line, exitCode: 0, stderr: "" });
      if (line[0] === "--version") expect(stdout).toBe(`${version}\n`);
      if (line[0] === "run") {
        expect(JSON.parse(stdout)).toMatchObject({
          output: expect.stringContaining("tool: <>"),
          results: { seen: "setup: <>" },
        });
      }
    }
    expect(existsSync(join(program.path, "other-home"))).toBe(false);
    expect(existsSync(join(program.home, "daemon.log"))).toBe(true);
    const running = program.processes().flatMap(startOf);
    // The daemon, and spare workers.
    expect(running.length).toBeGreaterThan(1);
    expect(running.filter((start) => !isGuarded(start, root))).toEqual([]);
    expect((await program.give(["daemon", "stop"], { cwd })).exitCode).toBe(0);
    expect(triggered(canary)).toBe("");
  },
);

test("loads nothing that the caller's environment tells Bun and Node to load", async () => {
  await using program = await openProgram();
  const canary = plantTraps(program);
  const preload = join(program.project, "preload.cjs");
  const env = {
    BUN_OPTIONS: `--preload ${preload}`,
    BUN_INSPECT_PRELOAD: preload,
    NODE_OPTIONS: `--require ${preload}`,
    NODE_PATH: join(program.project, "node_modules"),
  };
  expect(await program.give(["run", "trap.yaml"], { env })).toMatchObject({ exitCode: 0 });
  expect(triggered(canary)).toBe("");
});

/** The triggered traps, one per line. */
function triggered(canary: string): string {
  return existsSync(canary) ? readFileSync(canary, "utf8") || "an empty canary" : "";
}

type Start = { argv: string[]; cwd: string };

/** How a process was started; empty if it has ended since. */
function startOf(pid: number): Start[] {
  try {
    const argv = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
    return [{ argv, cwd: readlinkSync(`/proc/${pid}/cwd`) }];
  } catch {
    return [];
  }
}

/** Whether Bun ignores files of untrusted folders: it has all flags, or all but one and runs in our own folder. */
function isGuarded({ argv, cwd }: Start, root: string): boolean {
  const missing = bun.slice(1).filter((flag) => !argv.includes(flag));
  return missing.length === 0 || (cwd === root && missing.every((flag) => flag.startsWith("--tsconfig-override=")));
}
