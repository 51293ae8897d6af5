import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmod, mkdir, readdir, readFile as read, stat, symlink, writeFile as write } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/fixtures/folder.ts";
import { readFile } from "./read-file.ts";
import { writeFile } from "./write-file.ts";

let outer: Awaited<ReturnType<typeof temporaryFolder>>;
let cwd: string;
const inside = (...parts: string[]): string => join(cwd, ...parts);

beforeEach(async () => {
  outer = await temporaryFolder();
  cwd = join(outer.path, "zone");
  await mkdir(cwd);
  await write(join(outer.path, "secret"), "secret");
});
afterEach(() => outer[Symbol.asyncDispose]());

const { signal } = new AbortController();
const readTool = (args: object) => readFile({ cwd, env: {} }).run(args, { signal });
const writeTool = (args: object) => writeFile({ cwd, env: {} }).run(args, { signal });

describe("read_file", () => {
  test("returns a small file exactly", async () => {
    for (const content of ["", "one", "one\ntwo\n", "\n\n", "ünïcode\r\n"]) {
      await write(inside("a"), content);
      expect(await readTool({ path: "a" })).toEqual({ ok: true, text: content });
    }
  });

  test("returns the requested lines and where to continue", async () => {
    await write(inside("a"), "1\n2\n3\n4\n5\n");
    expect((await readTool({ path: "a", offset: 2, limit: 2 })).text).toBe(
      "2\n3\n[… 2 more lines: continue with offset 4 …]",
    );
    expect((await readTool({ path: "a", offset: 4 })).text).toBe("4\n5\n");
    expect(await readTool({ path: "a", offset: 7 })).toMatchObject({ ok: false });
  });

  test("limits the size of the result", async () => {
    await write(inside("a"), `${"x".repeat(999)}\n`.repeat(1_000));
    const { text } = await readTool({ path: "a" });
    expect(text.length).toBeLessThan(105_000);
    expect(text).toMatch(/continue with offset 103/);
    await write(inside("b"), "x".repeat(200_000));
    expect(await readTool({ path: "b" })).toMatchObject({ ok: false, text: expect.stringContaining("too long") });
  });

  test("refuses files that are not text, without blocking", async () => {
    await write(inside("binary"), Buffer.of(1, 0, 2));
    Bun.spawnSync(["mkfifo", inside("fifo")]);
    for (const [path, reason] of [
      ["binary", "not a text file"],
      ["fifo", "not a regular file"],
      [".", "not a regular file"],
      ["missing", "does not exist"],
      ["binary/x", "not a folder"],
      ["a\0b", "NUL"],
    ]) {
      expect(await readTool({ path })).toMatchObject({ ok: false, text: expect.stringContaining(reason ?? "") });
    }
  });
});

describe("write_file", () => {
  test("writes a file and creates its parent folders", async () => {
    expect(await writeTool({ path: "a/b/c.txt", content: "héllo" })).toEqual({
      ok: true,
      text: "wrote 6 bytes to a/b/c.txt",
    });
    expect(await read(inside("a/b/c.txt"), "utf8")).toBe("héllo");
    expect(await readdir(inside("a/b"))).toEqual(["c.txt"]);
  });

  test("replaces a file and keeps its mode", async () => {
    await write(inside("run.sh"), "old");
    await chmod(inside("run.sh"), 0o755);
    expect(await writeTool({ path: inside("run.sh"), content: "new" })).toMatchObject({ ok: true });
    expect(await read(inside("run.sh"), "utf8")).toBe("new");
    expect((await stat(inside("run.sh"))).mode & 0o777).toBe(0o755);
  });

  test("keeps a symlink inside the folder", async () => {
    await write(inside("real"), "old");
    await symlink("real", inside("link"));
    expect(await writeTool({ path: "link", content: "new" })).toMatchObject({ ok: true });
    expect(await read(inside("real"), "utf8")).toBe("new");
  });

  test("refuses folders and leaves nothing behind", async () => {
    await mkdir(inside("folder"));
    for (const path of ["folder", ".", "folder/"]) {
      expect(await writeTool({ path, content: "" })).toMatchObject({ ok: false });
    }
    expect(await readdir(cwd)).toEqual(["folder"]);
  });
});

test("refuses an unknown argument by name and does nothing", async () => {
  const result = await writeTool({ command: "src/x", path: "a", content: "" });
  expect(result).toMatchObject({ ok: false, text: expect.stringContaining('"command"') });
  expect(await readdir(cwd)).toEqual([]);
});

describe("nothing outside the folder is read or written", () => {
  beforeEach(async () => {
    await symlink(join(outer.path, "secret"), inside("link-to-file"));
    await symlink(outer.path, inside("link-to-folder"));
    await symlink("..", inside("link-up"));
    await symlink(join(outer.path, "new"), inside("dangling"));
    await symlink("loop", inside("loop"));
    await mkdir(`${cwd}-sibling`);
    await write(`${cwd}-sibling/x`, "secret");
  });

  test.each([
    "../secret",
    "a/../../secret",
    "../zone-sibling/x",
    "link-to-file",
    "link-to-folder/secret",
    "link-to-folder/new/deep",
    "link-up/secret",
    "link-up/zone/../secret",
    "dangling",
    "loop",
    "/etc/passwd",
    "/proc/self/environ",
    "link-to-folder/zone/link-to-folder/secret",
  ])("%s", async (path) => {
    const [reading, writing] = [await readTool({ path }), await writeTool({ path, content: "overwritten" })];
    expect([reading.ok, writing.ok]).toEqual([false, false]);
    expect(reading.text).not.toContain("secret\n");
    expect(await read(join(outer.path, "secret"), "utf8")).toBe("secret");
    expect((await readdir(outer.path)).sort()).toEqual(["secret", "zone", "zone-sibling"]);
  });

  test("not even while a folder is being swapped for a link", async () => {
    await mkdir(join(outer.path, "trap"));
    const swap = `while :; do mkdir d 2>/dev/null; rm -rf d; ln -s ../trap d; rm -f d; done`;
    const swapping = Bun.spawn(["sh", "-c", swap], { cwd, stderr: "ignore" });
    try {
      for (let index = 0; index < 300; index++) await writeTool({ path: "d/e/f", content: "x" });
    } finally {
      swapping.kill("SIGKILL");
      await swapping.exited;
    }
    expect(await readdir(join(outer.path, "trap"))).toEqual([]);
  });
});
