import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openDesk } from "../../../test/contract/documents.ts";
import { codeOf } from "../../../test/contract/store/bench.ts";
import { canMakeReadOnly, makeReadOnly } from "../../../test/fixtures/read-only.ts";
import { mountSmallDisk } from "../../../test/fixtures/small-disk.ts";
import { documentBytes } from "../../protocol/limits.ts";
import type { Store } from "../store/store.ts";
import type { Documents } from "./documents.ts";
import { createFiledDocuments } from "./filed-documents.ts";
import { createFolder } from "./folder.ts";

const projects = mkdtempSync(join(tmpdir(), "filed-documents-"));
afterAll(() => rmSync(projects, { recursive: true }));

/** A desk whose documents are in their own folder; `again` opens them as a daemon that starts after this one. */
async function openFiled() {
  const project = mkdtempSync(join(projects, "project-"));
  const folder = join(project, ".workflow/review/main/documents");
  const create = (store: Store, instance: string) =>
    createFiledDocuments(store, instance, createFolder(project, folder));
  const desk = await openDesk(create);
  const path = (file = "notes.md") => join(folder, file);
  return {
    ...desk,
    project,
    folder,
    path,
    /** The file's content on disk, null when there is no file. */
    onDisk: (file?: string) => (existsSync(path(file)) ? readFileSync(path(file), "utf8") : null),
    edit(content: string | Uint8Array, file?: string) {
      mkdirSync(dirname(path(file)), { recursive: true });
      writeFileSync(path(file), content);
    },
    again: (store = desk.store): Documents => create(store, desk.team.id),
    history: () => desk.store.documentHistory(desk.team.id, "notes.md", 20),
  };
}

/** Fails right after the version is stored, like a daemon that is killed. */
function dying(store: Store): Store {
  return {
    ...store,
    async writeDocument(...args) {
      await store.writeDocument(...args);
      throw new Error("killed");
    },
  };
}

/** Calls `save` after a turn's version is stored and before the file is replaced. */
function saving(store: Store, save: () => void): Store {
  return {
    ...store,
    async writeDocument(...args) {
      const result = await store.writeDocument(...args);
      if ("turn" in args[0]) save();
      return result;
    },
  };
}

/** Versions as `version author`, oldest first. */
function authors(history: { author: string; version: number; deleted: boolean }[]): string[] {
  return history.map(({ author, version, deleted }) => `${version} ${author}${deleted ? " deleted" : ""}`).toReversed();
}

describe("the file", () => {
  test("is updated with every version, and nothing else is left in the folder", async () => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "one");
    expect(desk.onDisk()).toBe("one");
    await desk.write(desk.alice, "two");
    await desk.documents.append(desk.bob, "notes.md", "three");
    await desk.write(desk.bob, "deep", { file: "a/b.md" });
    expect([desk.onDisk(), desk.onDisk("a/b.md")]).toEqual(["two\nthree", "deep"]);
    await desk.write(desk.bob, null, { file: "a/b.md" });
    expect(desk.onDisk("a/b.md")).toBeNull();
    expect(readdirSync(desk.folder).sort()).toEqual(["a", "notes.md"]);
    expect(readdirSync(desk.path("a"))).toEqual([]);
  });

  test("is not changed by a refused write", async () => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "one");
    await desk.write(desk.bob, "mine");
    await desk.write(desk.user, "mine", { base: 7 });
    expect(desk.onDisk()).toBe("one");
    expect(readdirSync(desk.folder)).toEqual(["notes.md"]);
  });

  test("keeps its permissions when it is replaced", async () => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "one");
    chmodSync(desk.path(), 0o600);
    await desk.write(desk.alice, "two");
    expect(statSync(desk.path()).mode & 0o777).toBe(0o600);
  });

  test("is replaced as a whole: a program that has the old one open still reads the old one", async () => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "one");
    const before = statSync(desk.path()).ino;
    await desk.write(desk.alice, "two");
    expect(statSync(desk.path()).ino).not.toBe(before);
  });

  test("does not need its folder until there is something to write", async () => {
    await using desk = await openFiled();
    expect(await codeOf(desk.write(desk.alice, null))).toBe("not-found");
    expect(await desk.read()).toBeUndefined();
    expect(await desk.documents.list()).toEqual([]);
    expect(readdirSync(desk.project)).toEqual([]);
  });
});

describe("an edit on disk", () => {
  test("becomes a version by the user before it is read", async () => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "one");
    desk.edit("edited\n");
    expect(await desk.read()).toBe("edited\n");
    expect(authors(await desk.history())).toEqual(["1 alice", "2 user"]);
  });

  test("causes a write that did not know of it to be refused, and is not lost", async () => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "one");
    desk.edit("edited");
    expect(await desk.write(desk.alice, "two")).toMatchObject({
      conflict: { current: { content: "edited", author: "user" }, base: { content: "one" } },
    });
    expect(desk.onDisk()).toBe("edited");
  });

  test("is kept when lines are appended", async () => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "one");
    desk.edit("edited\n");
    await desk.documents.append(desk.alice, "notes.md", "two");
    expect([desk.onDisk(), authors(await desk.history())]).toEqual(["edited\ntwo", ["1 alice", "2 user", "3 alice"]]);
  });

  test("that restores an earlier version is still an edit", async () => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "one");
    await desk.write(desk.alice, "two");
    desk.edit("one");
    expect(await desk.read()).toBe("one");
    expect(authors(await desk.history())).toEqual(["1 alice", "2 alice", "3 user"]);
  });

  test("can be a new file, found by its name or in the list", async () => {
    await using desk = await openFiled();
    desk.edit("# Goals", "goals.md");
    desk.edit("deep", "plans/today.md");
    expect(await desk.read("goals.md")).toBe("# Goals");
    expect(await desk.documents.list()).toMatchObject([
      { file: "goals.md", version: 1, author: "user" },
      { file: "plans/today.md", version: 1, author: "user" },
    ]);
  });

  test("can be a deletion", async () => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "one");
    rmSync(desk.path());
    expect(await desk.read()).toBeUndefined();
    expect(await desk.documents.list()).toEqual([]);
    expect(authors(await desk.history())).toEqual(["1 alice", "2 user deleted"]);
    expect(await desk.write(desk.alice, "two")).toHaveProperty("conflict");
    expect(await desk.read("notes.md", 1)).toBe("one");
  });

  test("of a document that an agent has deleted creates it again", async () => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "one");
    await desk.write(desk.alice, null);
    desk.edit("anew");
    expect(await desk.read()).toBe("anew");
    expect(authors(await desk.history())).toEqual(["1 alice", "2 alice deleted", "3 user"]);
  });

  test("can remove the whole folder", async () => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "one");
    rmSync(join(desk.project, ".workflow"), { recursive: true });
    expect(await desk.read()).toBeUndefined();
    await desk.write(desk.bob, "two");
    expect(desk.onDisk()).toBe("two");
  });
});

describe("after a crash between version and file", () => {
  test.each([
    ["a new document", [], "one"],
    ["a change", ["one"], "two"],
    ["a deletion", ["one"], null],
    ["a creation after a deletion", ["one", null], "anew"],
  ] as const)("%s is completed, and not taken for an edit", async (_, before, last) => {
    await using desk = await openFiled();
    for (const content of before) await desk.write(desk.alice, content);
    const versions = (await desk.history()).length;
    const crashing = desk.again(dying(desk.store)).write(desk.alice, { file: "notes.md", content: last });
    await expect(crashing).rejects.toThrow("killed");
    expect(desk.onDisk()).toBe(before.at(-1) ?? null);

    const next = desk.again();
    expect((await next.read({ instance: desk.team.id }, "notes.md"))?.content).toBe(last ?? undefined);
    expect(desk.onDisk()).toBe(last);
    const history = await desk.history();
    expect(history).toHaveLength(versions + 1);
    expect(history[0]?.author).toBe("alice");
    expect(readdirSync(desk.folder).filter((name) => name.startsWith("."))).toEqual([]);
  });

  test("restoring the previous version after the last one was written is an edit", async () => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "one");
    await desk.write(desk.alice, "two");
    desk.edit("one");
    const later = ((await desk.history())[0]?.createdAt ?? 0) / 1_000 + 60;
    utimesSync(desk.path(), later, later);
    const next = desk.again();
    expect((await next.read({ instance: desk.team.id }, "notes.md"))?.content).toBe("one");
    expect(authors(await desk.history())).toEqual(["1 alice", "2 alice", "3 user"]);
  });

  test("an edit made before the restart becomes a version, and the version it did not know is kept", async () => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "one");
    await desk.store.writeDocument(desk.alice, { file: "notes.md", content: "two" });
    desk.edit("edited");
    const next = desk.again();
    expect((await next.read({ instance: desk.team.id }, "notes.md"))?.content).toBe("edited");
    expect(authors(await desk.history())).toEqual(["1 alice", "2 alice", "3 user"]);
    expect(await desk.read("notes.md", 2)).toBe("two");
  });

  test("a staged file that was never placed is removed, and so is a backup whose content is a version", async () => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "one");
    await desk.write(desk.alice, "two", { file: "a/b.md" });
    writeFileSync(desk.path(".agent-worker-0123456789abcdef.new"), "half");
    writeFileSync(desk.path("a/.agent-worker-0123456789abcdef.b.md.kept"), "two");
    await desk.again().append(desk.alice, "notes.md", "three");
    expect(readdirSync(desk.folder, { recursive: true }).sort()).toEqual(["a", "a/b.md", "notes.md"]);
    expect([desk.onDisk(), desk.onDisk("a/b.md")]).toEqual(["one\nthree", "two"]);
  });

  test("a save that the crash left as a backup next to the file becomes a version too", async () => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "one");
    writeFileSync(desk.path(".agent-worker-0123456789abcdef.notes.md.kept"), "saved");
    desk.edit("and saved again later");
    const next = desk.again();
    expect((await next.read({ instance: desk.team.id }, "notes.md"))?.content).toBe("saved");
    expect(authors(await desk.history())).toEqual(["1 alice", "2 user", "3 user"]);
    expect(await desk.read("notes.md", 2)).toBe("and saved again later");
    expect(readdirSync(desk.folder)).toEqual(["notes.md"]);
  });

  test("a missing project folder is not a deletion", async () => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "one");
    renameSync(desk.project, `${desk.project}-away`);
    expect(await codeOf(desk.documents.read(desk.alice, "notes.md"))).toBe("failed");
    expect(await codeOf(desk.write(desk.alice, "two"))).toBe("failed");
    renameSync(`${desk.project}-away`, desk.project);
    expect(await desk.read()).toBe("one");
    expect(authors(await desk.history())).toEqual(["1 alice"]);
  });
});

describe("a person who saves at the moment of a write", () => {
  test.each(["in place", "by renaming"])("loses nothing: %s", async (how) => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "one");
    const documents = desk.again(
      saving(desk.store, () => {
        if (how === "in place") return desk.edit("saved");
        desk.edit("saved", "draft.md");
        renameSync(desk.path("draft.md"), desk.path());
      }),
    );
    const written = await documents.write(desk.alice, { file: "notes.md", content: "two" });
    expect(written).toMatchObject({ version: { version: 2, content: "two" } });
    expect(desk.onDisk()).toBe("saved");
    expect(authors(await desk.history())).toEqual(["1 alice", "2 alice", "3 user"]);
    expect(readdirSync(desk.folder)).toEqual(["notes.md"]);
  });

  test("loses nothing when there is no file yet, or when it is being deleted", async () => {
    await using desk = await openFiled();
    const documents = desk.again(saving(desk.store, () => desk.edit("saved")));
    await documents.write(desk.alice, { file: "notes.md", content: "one" });
    expect(desk.onDisk()).toBe("saved");
    await documents.read(desk.alice, "notes.md");
    const deleting = desk.again(saving(desk.store, () => desk.edit("again")));
    await deleting.write(desk.alice, { file: "notes.md", content: null });
    expect(desk.onDisk()).toBe("again");
    expect(authors(await desk.history())).toEqual(["1 alice", "2 user", "3 alice deleted", "4 user"]);
  });
});

describe("a link", () => {
  test("that points outside the folder is neither read nor written", async () => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "one");
    const secret = join(desk.project, "secret.md");
    writeFileSync(secret, "secret");
    symlinkSync(secret, desk.path("file.md"));
    symlinkSync(desk.project, desk.path("folder"));
    symlinkSync("/nowhere/at/all", desk.path("dangling.md"));
    symlinkSync("loop.md", desk.path("loop.md"));
    for (const file of ["file.md", "folder/secret.md", "folder/new.md", "dangling.md", "dangling.md/x", "loop.md"]) {
      expect([file, await codeOf(desk.documents.read(desk.alice, file))]).toEqual([
        file,
        expect.stringMatching(/usage|failed/),
      ]);
      expect([file, await codeOf(desk.write(desk.alice, "x", { file }))]).toEqual([
        file,
        expect.stringMatching(/usage|failed/),
      ]);
    }
    expect(readFileSync(secret, "utf8")).toBe("secret");
    expect(readdirSync(desk.project).sort()).toEqual([".workflow", "secret.md"]);
    expect((await desk.documents.list()).map(({ file }) => file)).toEqual(["notes.md"]);
  });

  test("inside the folder stands for the document that it points to", async () => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "one", { file: "plans/real.md" });
    symlinkSync("plans/real.md", desk.path("alias.md"));
    expect(await desk.write(desk.alice, "two", { file: "alias.md" })).toMatchObject({
      version: { file: "plans/real.md", version: 2 },
    });
    expect([desk.onDisk("plans/real.md"), lstatSync(desk.path("alias.md")).isSymbolicLink()]).toEqual(["two", true]);
  });

  test("in place of the folder is refused when it points outside the project", async () => {
    await using desk = await openFiled();
    const elsewhere = mkdtempSync(join(projects, "elsewhere-"));
    symlinkSync(elsewhere, join(desk.project, ".workflow"));
    expect(await codeOf(desk.write(desk.alice, "one"))).toBe("usage");
    mkdirSync(join(elsewhere, "review/main/documents"), { recursive: true });
    expect(await codeOf(desk.write(desk.alice, "one"))).toBe("usage");
    expect(await codeOf(desk.documents.read(desk.alice, "notes.md"))).toBe("usage");
    expect(readdirSync(join(elsewhere, "review/main/documents"))).toEqual([]);
  });

  test("that appears again and again during writes never leads outside", async () => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "x", { file: "a/notes.md" });
    const outside = mkdtempSync(join(projects, "outside-"));
    writeFileSync(join(outside, "notes.md"), "secret");
    let swaps = 0;
    const swap = setInterval(() => {
      try {
        rmSync(desk.path("a"), { recursive: true, force: true });
        if (swaps++ % 2 === 0) symlinkSync(outside, desk.path("a"));
        else mkdirSync(desk.path("a"));
      } catch {
        // The documents were faster; the next swap may win.
      }
    }, 1);
    for (let round = 0; round < 150; round++) {
      await desk.documents.append(desk.alice, "a/notes.md", "line").catch(() => undefined);
      const read = await desk.documents.read(desk.alice, "a/notes.md").catch(() => null);
      expect(read?.content ?? "").not.toContain("secret");
    }
    clearInterval(swap);
    expect(swaps).toBeGreaterThan(5);
    expect(readdirSync(outside)).toEqual(["notes.md"]);
    expect(readFileSync(join(outside, "notes.md"), "utf8")).toBe("secret");
  });
});

describe("is reported and left in place:", () => {
  test("a file that is not text, or too large", async () => {
    await using desk = await openFiled();
    for (const [content, code] of [
      [new Uint8Array([0xff, 0xfe, 0x00]), "usage"],
      ["a\0b", "usage"],
      ["x".repeat(documentBytes + 1), "too-large"],
    ] as const) {
      desk.edit(content);
      expect(await codeOf(desk.documents.read(desk.alice, "notes.md"))).toBe(code);
      expect(await codeOf(desk.write(desk.user, "mine", { base: "latest" }))).toBe(code);
      expect(await desk.documents.list()).toEqual([]);
      expect(readFileSync(desk.path())).toEqual(Buffer.from(content));
    }
  });

  test("a folder, and a document where a folder is needed", async () => {
    await using desk = await openFiled();
    desk.edit("x", "folder.md/x.md");
    expect(await codeOf(desk.write(desk.alice, "x", { file: "folder.md" }))).toMatch(/usage|failed/);
    await desk.write(desk.alice, "one");
    expect(await codeOf(desk.write(desk.alice, "x", { file: "notes.md/x.md" }))).toBe("failed");
    expect([desk.onDisk("folder.md/x.md"), desk.onDisk()]).toEqual(["x", "one"]);
  });

  test("a pipe, without waiting for its other end", async () => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "one");
    Bun.spawnSync(["mkfifo", desk.path("pipe.md")]);
    expect(await codeOf(desk.documents.read(desk.alice, "pipe.md"))).toBe("usage");
    expect(await codeOf(desk.write(desk.alice, "x", { file: "pipe.md" }))).toBe("usage");
  });

  test.skipIf(!canMakeReadOnly())(
    "a folder that cannot be written: writes are refused before anything is stored, and work again afterwards",
    async () => {
      await using desk = await openFiled();
      await desk.write(desk.alice, "one");
      {
        using _ = makeReadOnly(desk.folder);
        const refused = await desk.write(desk.alice, "two").catch((error: unknown) => error);
        const message = expect.stringMatching(/^notes.md could not be written: /);
        expect(refused).toMatchObject({ code: "failed", message });
        expect(await codeOf(desk.documents.append(desk.alice, "notes.md", "two"))).toBe("failed");
        expect(await codeOf(desk.write(desk.alice, null))).toBe("failed");
        expect(await desk.read()).toBe("one");
      }
      expect(authors(await desk.history())).toEqual(["1 alice"]);
      expect(await desk.write(desk.alice, "two")).toHaveProperty("version");
      expect(desk.onDisk()).toBe("two");
    },
  );
});

describe("a full disk", () => {
  const canMount = process.getuid?.() === 0 && canMakeReadOnly();

  test.skipIf(!canMount)(
    "leaves the document unchanged and reports it; writes work again when there is space",
    async () => {
      await using desk = await openFiled();
      using disk = mountSmallDisk(desk.project, 256);
      await desk.write(desk.alice, "one");
      disk?.fill();
      const content = "x".repeat(20_000);
      const refused = await desk.write(desk.alice, content).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: "failed", message: "notes.md could not be written: the disk is full" });
      expect(await codeOf(desk.documents.append(desk.alice, "notes.md", content))).toBe("failed");
      expect([await desk.read(), desk.onDisk()]).toEqual(["one", "one"]);
      disk?.free();
      expect(await desk.write(desk.alice, content)).toMatchObject({ version: { version: 2 } });
      expect(desk.onDisk()).toBe(content);
      expect(readdirSync(desk.folder)).toEqual(["notes.md"]);
    },
  );
});

describe("clearing", () => {
  test("removes unchanged files, and keeps edits and other files", async () => {
    await using desk = await openFiled();
    await desk.write(desk.alice, "one");
    await desk.write(desk.alice, "two", { file: "edited.md" });
    const clear = await desk.documents.prepareClearing();
    desk.edit("edited", "edited.md");
    desk.edit("mine", "mine.md");
    await clear();
    expect([desk.onDisk(), desk.onDisk("edited.md"), desk.onDisk("mine.md")]).toEqual([null, "edited", "mine"]);
  });

  test.each([
    ["already imported", true],
    ["not yet imported", false],
  ])("keeps what a person wrote last, with edits %s", async (_, isImported) => {
    await using desk = await openFiled();
    const user = { instance: desk.team.id, author: "user" } as const;
    await desk.write(desk.alice, "one");
    await desk.write(desk.alice, "two", { file: "edited.md" });
    await desk.documents.write(user, { file: "written.md", content: "by command" });
    desk.edit("edited", "edited.md");
    desk.edit("mine", "mine.md");
    if (isImported) await desk.documents.list();
    await (
      await desk.documents.prepareClearing()
    )();
    const left = ["notes.md", "edited.md", "mine.md", "written.md"].map((file) => desk.onDisk(file));
    expect(left).toEqual([null, "edited", "mine", "by command"]);
  });
});
