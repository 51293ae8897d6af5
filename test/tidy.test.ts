/** Checks the structure of the code: boundaries, import cycles, unused files, SQL, starts of Bun, names of commands. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { boundaryProblems, packageProblems } from "../scripts/tidy/boundaries.ts";
import { commandProblems } from "../scripts/tidy/commands.ts";
import { cycleProblems, unreachableProblems } from "../scripts/tidy/graph.ts";
import { runtimeProblems } from "../scripts/tidy/runtime.ts";
import { importsOf, readShellScripts, readSources, type Sources } from "../scripts/tidy/sources.ts";
import { sqlProblems } from "../scripts/tidy/sql.ts";

const checks: Record<string, (sources: Sources) => string[]> = {
  "tiers and layers import only what they are allowed to": boundaryProblems,
  "packages are imported only where they belong": packageProblems,
  "there are no import cycles": cycleProblems,
  "every file is used": unreachableProblems,
  "all SQL is in the store": sqlProblems,
  "Bun is started with its flags": runtimeProblems,
  "only the interface names commands": commandProblems,
};

describe("this project", async () => {
  const sources = await readSources(join(import.meta.dir, ".."));

  test.each(Object.entries(checks))("%s", (_, problemsOf) => {
    expect(sources.has("src/main.ts")).toBe(true);
    expect(problemsOf(sources)).toEqual([]);
  });

  test("shell scripts start Bun with its flags too", async () => {
    const scripts = await readShellScripts(join(import.meta.dir, ".."));
    expect([...scripts.keys()]).toEqual(expect.arrayContaining(["bin/agent-worker", "scripts/bun", "package.json"]));
    expect(runtimeProblems(scripts)).toEqual([]);
  });
});

/** A tree of files, each with the imports that are listed. */
function tree(files: Record<string, string[]>): Sources {
  return new Map(Object.entries(files).map(([path, imports]) => [path, imports.map(use).join("\n")]));
}

function use(specifier: string): string {
  return `import { x } from "${specifier}"; x();`;
}

describe("imports", () => {
  const found = { specifier: "./a.ts", target: "src/daemon/a.ts" };

  test.each([
    ["of values", 'import { a } from "./a.ts"; a();'],
    ["for effect", 'import "./a.ts";'],
    ["at run time", 'const a = await import("./a.ts");'],
    ["of values and types", 'import { a, type A } from "./a.ts";'],
    ["that are re-exported", 'export { a } from "./a.ts";'],
    ["of everything, re-exported", 'export * from "./a.ts";'],
  ])("%s are found", (_, text) => {
    expect(importsOf("src/daemon/b.ts", text)).toEqual([{ ...found, isType: false }]);
  });

  test.each([
    ["of types", 'import type { A } from "./a.ts";'],
    ["of types, over several lines", 'import type {\n  A,\n  B,\n} from "./a.ts";'],
    ["of types, each marked", 'import { type A } from "./a.ts";'],
    ["of a type where it is used", 'type A = import("./a.ts").A;'],
    ["of types that are re-exported", 'export type { A } from "./a.ts";'],
  ])("%s are found as types", (_, text) => {
    expect(importsOf("src/daemon/b.ts", text)).toEqual([{ ...found, isType: true }]);
  });

  test("in a string or a comment are ignored", () => {
    expect(importsOf("src/b.ts", `// import "./a.ts"\nconst text = 'import "./a.ts"';`)).toEqual([]);
  });
});

describe("a boundary is crossed when", () => {
  test.each([
    ["src/interface/a.ts", "../daemon/b.ts"],
    ["src/interface/commands/a.ts", "../../worker/b.ts"],
    ["src/daemon/kernel/a.ts", "../../worker/b.ts"],
    ["src/worker/a.ts", "../daemon/b.ts"],
    ["src/worker/a.test.ts", "../daemon/b.ts"],
    ["src/protocol/a.ts", "../workflow/b.ts"],
    ["src/workflow/a.ts", "../interface/b.ts"],
    ["src/mcp/a.ts", "../worker/b.ts"],
    ["src/text/a.ts", "../mcp/b.ts"],
    ["src/index.ts", "./daemon/b.ts"],
    ["src/daemon/http/a.ts", "../store/sqlite/b.ts"],
    ["src/daemon/http/a.ts", "../store/store.ts"],
    ["src/daemon/http/a.ts", "../store/data.ts"],
    ["src/daemon/http/a.ts", "../kernel/kernel.ts"],
    ["src/daemon/http/a.ts", "../kernel/channel/b.ts"],
    ["src/daemon/http/a.ts", "../mcp/b.ts"],
    ["src/daemon/mcp/tools/a.ts", "../../store/data.ts"],
    ["src/daemon/mcp/tools/a.ts", "../../kernel/kernel.ts"],
    ["src/daemon/mcp/tools/a.ts", "../../kernel/approvals/b.ts"],
    ["src/daemon/mcp/a.ts", "../process/b.ts"],
    ["src/daemon/kernel/a.ts", "../http/b.ts"],
    ["src/daemon/kernel/a.ts", "../store/sqlite/b.ts"],
    ["src/daemon/store/a.ts", "../kernel/b.ts"],
    ["src/daemon/process/a.ts", "../kernel/b.ts"],
    ["src/daemon/a.ts", "./http/b.ts"],
  ])("%s imports %s", (path, specifier) => {
    expect(boundaryProblems(tree({ [path]: [specifier] }))).toEqual([expect.stringContaining(`${path}: `)]);
  });

  test("a file is outside of every layer", () => {
    expect(boundaryProblems(tree({ "src/utils/a.ts": [] }))).toEqual([expect.stringContaining("belongs to no layer")]);
  });

  test("but not when an API imports types of the kernel", () => {
    const text = 'import type { X } from "../kernel/channel/b.ts";';
    expect(boundaryProblems(new Map([["src/daemon/http/a.ts", text]]))).toEqual([]);
    expect(boundaryProblems(new Map([["src/daemon/http/a.ts", text.replace("channel/b", "kernel")]]))).toHaveLength(1);
  });

  test("but not when a layer imports what it is allowed to", () => {
    const sources = tree({
      "src/main.ts": ["./processes/daemon.ts"],
      "src/processes/daemon.ts": ["../daemon/main.ts", "../worker/spec.ts"],
      "src/interface/cli.ts": ["./client.ts", "../protocol/b.ts", "../workflow/b.ts"],
      "src/daemon/daemon.ts": ["./http/b.ts", "./mcp/b.ts", "./kernel/b.ts", "./store/sqlite/b.ts"],
      "src/daemon/http/a.ts": ["./b.ts", "../kernel/operations.ts", "../../protocol/b.ts"],
      "src/daemon/kernel/a.ts": ["../store/store.ts", "../process/spawn.ts"],
      "src/daemon/kernel/a.test.ts": ["../store/sqlite/b.ts", "../../../test/fixtures/b.ts"],
      "test/e2e/a.test.ts": ["../../src/daemon/store/sqlite/b.ts"],
    });
    expect(boundaryProblems(sources)).toEqual([]);
  });
});

describe("a package is out of place when", () => {
  test.each([
    ["src/protocol/a.ts", "yaml"],
    ["src/protocol/a.ts", "node:crypto"],
    ["src/workflow/a.ts", "node:fs"],
    ["src/workflow/a.ts", "hono"],
    ["src/daemon/kernel/a.ts", "bun:sqlite"],
    ["src/daemon/kernel/a.ts", "hono/streaming"],
    ["src/daemon/http/a.ts", "@modelcontextprotocol/server"],
    ["src/daemon/a.ts", "commander"],
    ["src/worker/a.ts", "left-pad"],
  ])("%s imports %s", (path, specifier) => {
    expect(packageProblems(tree({ [path]: [specifier] }))).toEqual([expect.stringContaining(specifier)]);
  });

  test("a second file imports an SDK", () => {
    const sdk = "@modelcontextprotocol/server";
    const [first, second] = ["src/daemon/mcp/a.ts", "src/daemon/mcp/b.ts"];
    expect(packageProblems(tree({ [first]: [sdk], [second]: [`${sdk}/http`] }))).toEqual([
      `${first}, ${second}: only one file can import ${sdk}`,
    ]);
  });

  test("but not in a test", () => {
    expect(packageProblems(tree({ "src/worker/a.test.ts": ["bun:test", "fast-check"] }))).toEqual([]);
  });
});

describe("the import graph", () => {
  test("reports a cycle once, with its shortest path", () => {
    const sources = tree({ "src/a.ts": ["./b.ts"], "src/b.ts": ["./c.ts", "./a.ts"], "src/c.ts": ["./b.ts"] });
    expect(cycleProblems(sources)).toEqual([
      "import cycle: src/a.ts → src/b.ts → src/a.ts",
      "import cycle: src/b.ts → src/c.ts → src/b.ts",
    ]);
  });

  test("reports a file that imports itself, and cycles of types", () => {
    expect(cycleProblems(tree({ "src/a.ts": ["./a.ts"] }))).toHaveLength(1);
    const types = { "src/a.ts": 'import type { B } from "./b.ts";', "src/b.ts": 'import type { A } from "./a.ts";' };
    expect(cycleProblems(new Map(Object.entries(types)))).toHaveLength(1);
  });

  test("reports files that only their own test uses", () => {
    const sources = tree({
      "src/main.ts": ["./used.ts"],
      "src/used.ts": [],
      "src/dead.ts": ["./dead-too.ts"],
      "src/dead-too.ts": [],
      "src/dead.test.ts": ["./dead.ts"],
      "src/for-tests.ts": [],
      "test/e2e.test.ts": ["../src/for-tests.ts"],
    });
    expect(unreachableProblems(sources)).toEqual([
      "src/dead.ts: nothing imports this file",
      "src/dead-too.ts: nothing imports this file",
    ]);
  });
});

describe("SQL", () => {
  test.each([
    '"SELECT id FROM messages WHERE seq > ?"',
    "`\n    select a, b\n    from deliveries\n  `",
    "'insert or ignore into agents values (1)'",
    '"UPDATE turns SET state = 1"',
    '"delete from events"',
    '"CREATE UNIQUE INDEX i ON t (a)"',
    '"with open as (select 1)"',
    '"PRAGMA journal_mode"',
    '"BEGIN IMMEDIATE"',
  ])("%s is reported only outside of the store", (literal) => {
    const text = `const a = 1;\nconst b = ${literal};`;
    expect(sqlProblems(new Map([["src/daemon/kernel/a.ts", text]]))).toEqual([
      "src/daemon/kernel/a.ts:2: SQL belongs in src/daemon/store/",
    ]);
    expect(sqlProblems(new Map([["src/daemon/store/sqlite/a.ts", text]]))).toEqual([]);
  });

  test.each(['"select one of them"', '"update the settings"', '"begin with a name"', '"created from a file"'])(
    "%s is prose",
    (literal) => {
      expect(sqlProblems(new Map([["src/interface/a.ts", `const a = ${literal};`]]))).toEqual([]);
    },
  );
});

describe("a command", () => {
  test.each([
    'const hint = "agent-worker ls shows them";',
    "const hint = `then give \\`agent-worker resume\\``;",
    "const hint = `agent-worker attach ${target}`;",
    "const hint = `agent-worker ${verb} ${target}`;",
    'const hint = "agent-worker ps";',
  ])("is reported only outside of the interface: %s", (text) => {
    expect(commandProblems(new Map([["src/daemon/a.ts", `\n${text}`]]))).toEqual([
      "src/daemon/a.ts:2: name commands only in src/interface/; use an action from src/protocol/action.ts",
    ]);
    expect(commandProblems(new Map([["src/interface/a.ts", text]]))).toEqual([]);
    expect(commandProblems(new Map([["src/daemon/a.test.ts", text]]))).toEqual([]);
  });

  test.each([
    'const title = "agent-worker workflow";',
    "/** As `agent-worker run` does. */",
    'const name = "agent-worker";',
  ])("is not found in %s", (text) => {
    expect(commandProblems(new Map([["src/protocol/a.ts", text]]))).toEqual([]);
  });
});

describe("a start of Bun without its flags", () => {
  test.each([
    "Bun.spawn([process.execPath, script]);",
    "const [bun] = [process.argv[0]];",
    'Bun.spawn(["bun", "run", script]);',
    'Bun.spawn([Bun.which("bun") ?? "", script]);',
    'Bun.spawn(["node_modules/.bin/bun", script]);',
    'import { fork } from "node:child_process";',
  ])("is found in code: %s", (text) => {
    expect(runtimeProblems(new Map([["src/worker/a.ts", `\n${text}`]]))).toEqual([
      expect.stringContaining("src/worker/a.ts:2: start Bun with"),
    ]);
  });

  test.each([
    'exec "$bun" "$root/src/main.ts"',
    "node_modules/.bin/bun test",
    "exec node_modules/bun/bin/bun.exe x.ts",
  ])("is found in a shell script: %s", (text) => {
    expect(runtimeProblems(new Map([["scripts/a", text]]))).toEqual(["scripts/a:1: start Bun with scripts/bun"]);
  });

  test.each(['[ -x "$bun" ]', '"$bun" --version', 'exec "$bun" $flags "$main"'])("is not reported for %s", (text) => {
    expect(runtimeProblems(new Map([["scripts/a", text]]))).toEqual([]);
  });
});
