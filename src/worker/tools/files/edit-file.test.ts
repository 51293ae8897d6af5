import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/fixtures/folder.ts";
import { editFile } from "./edit-file.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => void (folder = await temporaryFolder()));
afterEach(() => folder[Symbol.asyncDispose]());

const { signal } = new AbortController();
const edit = (args: object) => editFile({ cwd: folder.path, env: {} }).run({ path: "a", ...args }, { signal });
const put = (text: string | Uint8Array) => writeFile(join(folder.path, "a"), text);
const content = () => readFile(join(folder.path, "a"), "utf8");

test("replaces a single occurrence, and keeps the rest and the mode", async () => {
  await put("one\ntwo $& $1\nthree\n");
  await chmod(join(folder.path, "a"), 0o755);
  expect(await edit({ old_string: "two $&", new_string: "2 $& $$" })).toEqual({
    ok: true,
    text: "replaced 1 occurrence in a, the first on line 2",
  });
  expect(await content()).toBe("one\n2 $& $$ $1\nthree\n");
  expect((await stat(join(folder.path, "a"))).mode & 0o777).toBe(0o755);
  expect(await readdir(folder.path)).toEqual(["a"]);
});

test("replaces several occurrences only with replace_all", async () => {
  await put("x = 1\ny = 1\nx = 1\n");
  const { ok, text } = await edit({ old_string: "x = 1", new_string: "x = 2" });
  expect({ ok, text }).toMatchObject({ ok: false, text: expect.stringContaining("2 times, on lines 1, 3") });
  expect(text).toContain("replace_all");
  expect(await content()).toBe("x = 1\ny = 1\nx = 1\n");
  expect(await edit({ old_string: "x = 1", new_string: "", replace_all: true })).toMatchObject({ ok: true });
  expect(await content()).toBe("\ny = 1\n\n");
});

test.each([
  ["different whitespace", "if (ready) {\n\treturn   1;\n}", "return 1;", "2: \treturn   1;"],
  ["a similar line", "const total = price * count;", "const total = price * amount;", "1: const total"],
  ["nothing like it", "abc", "something else entirely", "read the file again"],
])("the error shows similar lines: %s", async (_, text, old_string, shown) => {
  await put(text);
  expect(await edit({ old_string, new_string: "" })).toMatchObject({ ok: false, text: expect.stringContaining(shown) });
  expect(await content()).toBe(text);
});

test("keeps \\r\\n line endings", async () => {
  await put("one\r\ntwo\r\nthree\r\n");
  expect(await edit({ old_string: "one\ntwo", new_string: "1\n2\n2b" })).toMatchObject({ ok: true });
  expect(await content()).toBe("1\r\n2\r\n2b\r\nthree\r\n");
});

test("refuses a file that it could not write back exactly", async () => {
  await put(Buffer.from([0x61, 0xff, 0x62]));
  expect(await edit({ old_string: "a", new_string: "b" })).toMatchObject({
    ok: false,
    text: expect.stringContaining("UTF-8"),
  });
  expect((await readFile(join(folder.path, "a"))).length).toBe(3);
  await put("\uFEFFa");
  await edit({ old_string: "a", new_string: "b" });
  expect(await content()).toBe("\uFEFFb");
});

test.each([
  [{ old_string: "", new_string: "x" }, "old_string"],
  [{ old_string: "same", new_string: "same" }, "nothing would change"],
  [{ old_string: "x", new_string: "y", path: "missing" }, "does not exist"],
  [{ old_string: "x", new_string: "y", path: "../a" }, "outside"],
])("refuses %j with the reason", async (args, reason) => {
  await put("same");
  expect(await edit(args)).toMatchObject({ ok: false, text: expect.stringContaining(reason) });
});
