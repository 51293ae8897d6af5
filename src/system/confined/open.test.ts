import { existsSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { temporaryFolder } from "../../../test/fixtures/folder.ts";
import { isInside, realFolderAbove } from "./inside.ts";
import { OutsideFolder, descend, openFolderConfined } from "./open.ts";

async function openAndClose(opening: ReturnType<typeof descend>): Promise<void> {
  await (await opening).handle.close();
}

describe("isInside", () => {
  test.each([
    ["/a", "/a", true],
    ["/a", "/a/b", true],
    ["/", "/a", true],
    ["/a", "/ab", false],
    ["/a/b", "/a", false],
  ])("%s, %s: %p", (folder, path, expected) => {
    expect(isInside(folder, path)).toBe(expected);
  });
});

test("finds the nearest existing folder above, with links resolved", async () => {
  await using folder = await temporaryFolder();
  mkdirSync(join(folder.path, "real"));
  symlinkSync("real", join(folder.path, "link"));
  expect(realFolderAbove(join(folder.path, "link/missing/deep"))).toBe(join(folder.path, "real"));
});

describe("descending into a folder", () => {
  test("refuses every link if links are not allowed, even one that stays inside", async () => {
    await using folder = await temporaryFolder();
    mkdirSync(join(folder.path, "a"));
    symlinkSync("a", join(folder.path, "link"));
    const descent = descend(folder.path, ["link"], { links: "refuse", create: true });
    await expect(openAndClose(descent)).rejects.toMatchObject({ code: expect.stringMatching(/ENOTDIR|ELOOP/) });
  });

  test("follows a link that stays inside, refuses one that points outside, and creates nothing there", async () => {
    await using folder = await temporaryFolder();
    await using outside = await temporaryFolder();
    mkdirSync(join(folder.path, "a"));
    symlinkSync("a", join(folder.path, "inner"));
    symlinkSync(outside.path, join(folder.path, "outer"));
    await openAndClose(descend(folder.path, ["inner", "b"], { links: "inside", create: true }));
    expect(existsSync(join(folder.path, "a/b"))).toBe(true);
    const escape = descend(folder.path, ["outer", "b"], { links: "inside", create: true });
    await expect(openAndClose(escape)).rejects.toBeInstanceOf(OutsideFolder);
    expect(existsSync(join(outside.path, "b"))).toBe(false);
  });

  test("refuses a base that was replaced by a link after its real path was resolved", async () => {
    await using folder = await temporaryFolder();
    await using outside = await temporaryFolder();
    const base = join(folder.path, "base");
    mkdirSync(base);
    renameSync(base, join(folder.path, "moved"));
    symlinkSync(outside.path, base);
    const descent = descend(base, ["b"], { links: "inside", create: true });
    await expect(openAndClose(descent)).rejects.toBeInstanceOf(OutsideFolder);
    expect(existsSync(join(outside.path, "b"))).toBe(false);
  });

  test("creates nothing without `create`", async () => {
    await using folder = await temporaryFolder();
    const descent = descend(folder.path, ["missing"], { links: "inside", create: false });
    await expect(openAndClose(descent)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

test("refuses a folder outside the base after opening it", async () => {
  await using folder = await temporaryFolder();
  await using outside = await temporaryFolder();
  symlinkSync(outside.path, join(folder.path, "link"));
  await expect(openFolderConfined(folder.path, join(folder.path, "link"))).rejects.toBeInstanceOf(OutsideFolder);
});
