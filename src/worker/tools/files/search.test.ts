import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../../../test/fixtures/folder.ts";
import { until } from "../../../../test/fixtures/until.ts";
import { findMarked, markOf, processStartTime } from "../../../system/process.ts";
import { listFiles } from "./list-files.ts";
import { searchCode } from "./search-code.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let cwd: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  cwd = join(folder.path, "zone");
  await mkdir(cwd);
});
afterEach(() => folder[Symbol.asyncDispose]());

const { signal } = new AbortController();
const list = async (args: object = {}) => (await listFiles({ cwd, env: {} }).run(args, { signal })).text.split("\n");
const search = (args: object) => searchCode({ cwd, env: {} }).run(args, { signal });

async function put(files: Record<string, string | Uint8Array>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), text);
  }
}

describe("list_files", () => {
  test("lists files in order, without .git, node_modules and ignored files", async () => {
    await put({
      ".gitignore": "*.log\n/build/\n!keep.log\n# a comment\ntemp*/\n",
      "src/.gitignore": "generated.ts\n/local\n",
      ".agent-worker-1": "",
      ".git/config": "",
      "node_modules/a/index.js": "",
      "build/out.js": "",
      "src/build/in.js": "",
      "src/b.ts": "",
      "src/a.ts": "",
      "src/generated.ts": "",
      "src/local": "",
      "src/deep/local": "",
      "src/deep/temporary/x": "",
      "x.log": "",
      "keep.log": "",
    });
    const files = [".gitignore", "keep.log", "src/.gitignore", "src/a.ts", "src/b.ts", "src/build/in.js"];
    expect(await list()).toEqual([...files, "src/deep/local"]);
    expect(await list({ path: "src", glob: "*.ts" })).toEqual(["src/a.ts", "src/b.ts"]);
    expect(await list({ glob: "src/*.{ts,js}" })).toEqual(["src/a.ts", "src/b.ts"]);
    expect(await list({ glob: "*.log", ignored: true })).toEqual(["keep.log", "x.log"]);
    expect(await list({ glob: "*.none" })).toEqual(["[no file matches *.none]"]);
  });

  test("reports that there are more", async () => {
    await put({ a: "", b: "", c: "" });
    expect(await list({ limit: 2 })).toEqual(["a", "b", expect.stringContaining("there are more")]);
  });

  test("follows no links, inside the folder or out of it", async () => {
    await put({ "sub/a": "" });
    await writeFile(join(folder.path, "secret"), "");
    await symlink("..", join(cwd, "up"));
    await symlink("sub", join(cwd, "link"));
    expect(await list()).toEqual(["sub/a"]);
    for (const path of ["..", "up", "/", "missing"]) {
      expect(await listFiles({ cwd, env: {} }).run({ path }, { signal })).toMatchObject({ ok: false });
    }
  });
});

describe("search_code", () => {
  test("returns path, line and text of each match", async () => {
    await put({ "a.ts": "one\nTwo\nthree", "b/c.ts": "two\r\n", "d.md": "two" });
    expect(await search({ pattern: "two$", glob: "*.ts" })).toEqual({ ok: true, text: "b/c.ts:1:two" });
    expect((await search({ pattern: "two", ignore_case: true })).text).toBe("a.ts:2:Two\nb/c.ts:1:two\nd.md:1:two");
    expect((await search({ pattern: "two", path: "d.md" })).text).toBe("d.md:1:two");
    expect((await search({ pattern: "nothing" })).text).toBe("[no match]");
  });

  test("shows lines around a match", async () => {
    await put({ a: "1\n2\n3\n4\n5\n6\n7\n8" });
    expect((await search({ pattern: "[27]", context: 1 })).text).toBe("a-1-1\na:2:2\na-3-3\n--\na-6-6\na:7:7\na-8-8");
  });

  test("reports that there are more, skips binary files, and cuts long lines", async () => {
    await put({ a: "x\nx\nx", binary: Buffer.of(120, 0, 120), long: "x".repeat(1_000) });
    const { text } = await search({ pattern: "x", limit: 2 });
    expect(text.split("\n")).toEqual(["a:1:x", "a:2:x", expect.stringContaining("there may be more")]);
    expect((await search({ pattern: "x", path: "long" })).text.length).toBeLessThan(400);
    expect((await search({ pattern: "x", glob: "binary" })).text).toBe("[no match]");
  });

  test("reports an invalid expression and an invalid path", async () => {
    expect(await search({ pattern: "(" })).toMatchObject({ ok: false, text: expect.stringContaining("escape") });
    expect(await search({ pattern: "x", path: "nowhere" })).toMatchObject({
      ok: false,
      text: expect.stringContaining("nowhere does not exist"),
    });
    expect(await search({ pattern: "x", path: "../zone-2" })).toMatchObject({
      ok: false,
      text: expect.stringContaining("outside"),
    });
  });

  test("an endless expression stops with its turn", async () => {
    await put({ a: `${"a".repeat(60)}!` });
    const stopping = new AbortController();
    const result = searchCode({ cwd, env: {} }).run({ pattern: "^(a+)+$" }, { signal: stopping.signal });
    const own = markOf({ pid: process.pid, startTime: processStartTime(process.pid) ?? "" });
    await until(async () => (await findMarked([own])).marked.length > 0);
    stopping.abort(new Error("the turn was stopped"));
    await expect(result).rejects.toThrow("the turn was stopped");
    expect((await findMarked([own])).marked).toEqual([]);
  });

  test("an endless expression stops at the timeout, with a hint", async () => {
    await put({ a: `${"a".repeat(60)}!` });
    const { ok, text } = await search({ pattern: "^(a+)+$", timeout: 0.3 });
    expect({ ok, text }).toEqual({ ok: false, text: expect.stringContaining("stopped after 0.3 s: use a simpler") });
  });
});
