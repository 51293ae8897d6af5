/** The contract of `src/daemon/documents/documents.ts`: one suite that every kind of documents must pass. */
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { Documents } from "../../src/daemon/documents/documents.ts";
import { openSqliteStore } from "../../src/daemon/store/sqlite/sqlite-store.ts";
import type { Claimed, DocumentConflict, DocumentWritten, Writer } from "../../src/daemon/store/data.ts";
import type { Store } from "../../src/daemon/store/store.ts";
import { documentBytes, documentsPerWorkflow } from "../../src/protocol/limits.ts";
import { codeOf } from "./store/bench.ts";
import { Clock } from "./store/clock.ts";
import { openTeam, type Team } from "./store/team.ts";

/** Creates the documents of an instance that has none yet; the test file removes everything else it created. */
export type CreateDocuments = (store: Store, instance: string) => Documents;

export type Desk = {
  documents: Documents;
  store: Store;
  team: Team;
  user: Writer;
  alice: Claimed;
  bob: Claimed;
  write(writer: Writer, content: string | null, more?: { file?: string; base?: number | "latest" }): Promise<Outcome>;
  read(file?: string, version?: number): Promise<string | undefined>;
};
type Outcome = DocumentWritten | { conflict: DocumentConflict };

/** A team with alice and bob in the middle of their turns. */
export async function openDesk(open: CreateDocuments): Promise<Desk & AsyncDisposable> {
  const clock = new Clock();
  const store = openSqliteStore({ path: ":memory:", now: clock.now, random: Math.random });
  const team = await openTeam(store, clock);
  await team.say("one", ["alice", "bob"]);
  const documents = open(store, team.id);
  return {
    documents,
    store,
    team,
    user: { instance: team.id, author: "user" },
    alice: await team.claim("alice"),
    bob: await team.claim("bob"),
    write: (writer, content, { file = "notes.md", base } = {}) => documents.write(writer, { file, content, base }),
    read: async (file = "notes.md", version) => (await documents.read({ instance: team.id }, file, version))?.content,
    [Symbol.asyncDispose]: () => store.close(),
  };
}

export function documentsContract(name: string, open: CreateDocuments): void {
  const it = (title: string, body: (desk: Desk) => Promise<void>) =>
    test(title, async () => {
      await using desk = await openDesk(open);
      await body(desk);
    });

  describe(name, () => {
    it("keeps each version with its author, time, turn and hash", async (desk) => {
      const { alice, user, team, documents } = desk;
      const first = await desk.write(alice, "one\n");
      team.clock.advance(1_000);
      await desk.write(user, "two\n", { base: 1 });
      expect(first).toMatchObject({ changed: true, version: { file: "notes.md", version: 1, content: "one\n" } });
      const history = await documents.history("notes.md", 10);
      expect(history).toMatchObject([
        { version: 2, author: "user", turn: null, bytes: 4, deleted: false },
        { version: 1, author: "alice", turn: alice.turn, hash: hashOf("one\n") },
      ]);
      expect(history[0]!.createdAt - history[1]!.createdAt).toBe(1_000);
      expect([await desk.read(), await desk.read("notes.md", 1)]).toEqual(["two\n", "one\n"]);
    });

    it("keeps text exactly", async (desk) => {
      const content = "\uFEFFline\r\n\ttab \u0007 ünï 🚀 \u202E no newline at the end";
      await desk.write(desk.alice, content);
      expect(await desk.read()).toBe(content);
      await desk.write(desk.alice, "");
      expect(await desk.read()).toBe("");
    });

    it("reports a missing document and a missing version", async (desk) => {
      expect(await desk.read("todos.md")).toBeUndefined();
      expect(await desk.documents.history("todos.md", 10)).toEqual([]);
      await desk.write(desk.alice, "one");
      expect(await desk.read("notes.md", 2)).toBeUndefined();
    });

    it("stores an event for each version", async ({ write, alice, team }) => {
      await write(alice, "one");
      const [event] = await team.eventsOfType("document-write");
      expect(event).toMatchObject({
        turn: alice.turn,
        data: { file: "notes.md", version: 1, author: "alice", bytes: 3, deleted: false },
      });
    });

    it("makes no version when the content does not change", async ({ write, alice, bob, team }) => {
      await write(alice, "one");
      expect(await write(alice, "one")).toMatchObject({ changed: false, version: { version: 1 } });
      expect(await write(bob, "one")).toMatchObject({ changed: false, version: { version: 1 } });
      expect(await team.eventsOfType("document-write")).toHaveLength(1);
    });

    describe("a write is based on", () => {
      it("the version that the turn last wrote", async ({ write, alice }) => {
        await write(alice, "one");
        expect(await write(alice, "two")).toMatchObject({ version: { version: 2 } });
      });

      it("the version that the turn last read", async ({ write, documents, alice, bob }) => {
        await write(alice, "one");
        await documents.read(bob, "notes.md");
        expect(await write(bob, "two")).toMatchObject({ version: { version: 2, author: "bob" } });
      });

      it("the version that it names", async ({ write, alice, bob }) => {
        await write(alice, "one");
        expect(await write(bob, "two", { base: 1 })).toMatchObject({ version: { version: 2 } });
      });

      it("the latest version, when it asks for that", async ({ write, alice, user }) => {
        await write(alice, "one");
        expect(await write(user, "two", { base: "latest" })).toMatchObject({ version: { version: 2 } });
      });

      it("nothing, when the document does not exist", async ({ write, alice, bob }) => {
        expect(await write(alice, "one", { base: 0 })).toMatchObject({ version: { version: 1 } });
        expect(await write(bob, "two", { file: "other.md" })).toMatchObject({ version: { version: 1 } });
      });

      it("the version that was read by the turn it was split from", async ({
        documents,
        write,
        team,
        alice,
        bob,
        store,
      }) => {
        await write(alice, "one");
        await team.say("two", ["bob"]);
        await store.checkInbox(bob);
        await documents.read(bob, "notes.md");
        await team.fail(bob);
        team.clock.advance(60_000);
        const part = await team.claim("bob");
        expect(part.turn).not.toBe(bob.turn);
        expect(await write(part, "two")).toMatchObject({ version: { version: 2 } });
      });
    });

    describe("is refused, with both versions shown and nothing lost:", () => {
      it("a write based on a version that is no longer the latest", async (desk) => {
        await desk.write(desk.alice, "one");
        await desk.documents.read(desk.bob, "notes.md");
        await desk.write(desk.alice, "two");
        const shown = { current: { version: 2, content: "two" }, base: { version: 1, content: "one" } };
        const { refused } = await expectRefused(desk, desk.write(desk.bob, "mine"), shown);
        expect(await desk.read()).toBe("two");
        const kept = await desk.store.resource(desk.team.id, refused ?? "", { offset: 0, limit: 100 });
        expect(kept?.content).toBe("mine");
      });

      it("a write that names an earlier version, or a future one", async (desk) => {
        await desk.write(desk.alice, "one");
        await desk.write(desk.alice, "two");
        await expectRefused(desk, desk.write(desk.alice, "three", { base: 1 }), { base: { version: 1 } });
        await expectRefused(desk, desk.write(desk.alice, "three", { base: 3 }), { base: null });
        await expectRefused(desk, desk.write(desk.user, "three", { base: 0 }), { current: { version: 2 } });
      });

      it("a write without a read before it", async (desk) => {
        await desk.write(desk.alice, "one");
        await expectRefused(desk, desk.write(desk.bob, "mine"), { current: { content: "one" }, base: null });
      });

      it("a write to a document that was deleted after it was read", async (desk) => {
        await desk.write(desk.alice, "one");
        await desk.documents.read(desk.bob, "notes.md");
        await desk.write(desk.alice, null);
        await expectRefused(desk, desk.write(desk.bob, "mine"), {
          current: { deleted: true },
          base: { content: "one" },
        });
      });

      it("the second of two simultaneous writes", async (desk) => {
        await desk.write(desk.alice, "one");
        await desk.documents.read(desk.bob, "notes.md");
        const both = await Promise.all([desk.write(desk.alice, "hers"), desk.write(desk.bob, "his")]);
        expect(both.filter((outcome) => "version" in outcome)).toHaveLength(1);
        expect(await desk.documents.history("notes.md", 10)).toHaveLength(2);
      });
    });

    describe("reading an earlier version", () => {
      it("after the latest one still allows a write", async ({ write, documents, alice, bob }) => {
        await write(alice, "one");
        await write(alice, "two");
        await documents.read(bob, "notes.md");
        await documents.read(bob, "notes.md", 1);
        expect(await write(bob, "three")).toMatchObject({ version: { version: 3 } });
      });

      it("alone does not allow a write", async ({ write, documents, alice, bob }) => {
        await write(alice, "one");
        await write(alice, "two");
        await documents.read(bob, "notes.md", 1);
        expect(await write(bob, "three")).toMatchObject({ conflict: { base: { version: 1 } } });
      });
    });

    describe("an append", () => {
      it("needs no read before it, and starts a new line", async (desk) => {
        await desk.write(desk.alice, "one");
        await desk.documents.append(desk.bob, "notes.md", "two\n");
        await desk.documents.append(desk.user, "notes.md", "three");
        expect(await desk.read()).toBe("one\ntwo\nthree");
      });

      it("creates a document that is missing or deleted", async (desk) => {
        await desk.documents.append(desk.alice, "notes.md", "one");
        await desk.write(desk.alice, null);
        await desk.documents.append(desk.bob, "notes.md", "anew");
        expect(await desk.read()).toBe("anew");
      });

      it("is not lost among many simultaneous ones", async ({ documents, alice, bob, read }) => {
        const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
        await Promise.all(
          lines.map((line, index) => documents.append(index % 2 ? alice : bob, "notes.md", `${line}\n`)),
        );
        expect((await read())?.trimEnd().split("\n").sort()).toEqual(lines.sort());
      });

      it("does not count as having read the document", async ({ write, documents, alice, bob }) => {
        await write(alice, "one");
        await documents.append(bob, "notes.md", "two");
        expect(await write(bob, "mine alone")).toMatchObject({ conflict: { current: { content: "one\ntwo" } } });
        await documents.append(alice, "notes.md", "three");
        expect(await write(alice, "unseen")).toHaveProperty("conflict");
      });
    });

    describe("a deletion", () => {
      it("is a version; the earlier ones can still be read", async (desk) => {
        await desk.write(desk.alice, "one");
        expect(await desk.write(desk.alice, null)).toMatchObject({ version: { version: 2, deleted: true } });
        expect([await desk.read(), await desk.read("notes.md", 1)]).toEqual([undefined, "one"]);
        expect(await desk.documents.list()).toEqual([]);
        expect(await desk.documents.history("notes.md", 10)).toMatchObject([
          { version: 2, deleted: true },
          { version: 1 },
        ]);
      });

      it("of a missing document is refused", async ({ write, alice }) => {
        expect(await codeOf(write(alice, null))).toBe("not-found");
      });

      it("of a document that was not read is refused", async ({ write, alice, bob }) => {
        await write(alice, "one");
        expect(await write(bob, null)).toMatchObject({ conflict: { current: { version: 1 } } });
      });

      it("can be followed by a new version", async ({ write, alice, bob }) => {
        await write(alice, "one");
        await write(alice, null);
        expect(await write(bob, "two")).toMatchObject({ version: { version: 3, author: "bob" } });
      });
    });

    it("lists documents with their latest version", async ({ write, documents, alice, bob }) => {
      await write(alice, "one");
      await write(alice, "two");
      await write(bob, "x", { file: "plans/today.md" });
      await write(bob, "y", { file: "gone.md" });
      await write(bob, null, { file: "gone.md" });
      expect(await documents.list()).toMatchObject([
        { file: "notes.md", version: 2, author: "alice" },
        { file: "plans/today.md", version: 1, author: "bob" },
      ]);
    });

    it("accepts nothing from a turn that has ended", async ({ write, documents, team, alice, read }) => {
      await write(alice, "one");
      await team.succeed(alice);
      expect(await codeOf(write(alice, "late"))).toBe("fenced");
      expect(await codeOf(documents.append(alice, "notes.md", "late"))).toBe("fenced");
      expect(await codeOf(documents.read(alice, "notes.md"))).toBe("fenced");
      expect(await read()).toBe("one");
    });

    describe("refuses", () => {
      it("10 MB, and anything over the limit, also by appending", async ({ write, documents, alice, read }) => {
        expect(await codeOf(write(alice, "x".repeat(10_000_000)))).toBe("too-large");
        expect(await codeOf(write(alice, "é".repeat(documentBytes / 2 + 1)))).toBe("too-large");
        await write(alice, "x".repeat(documentBytes));
        expect(await codeOf(documents.append(alice, "notes.md", "y"))).toBe("too-large");
        expect((await read())?.length).toBe(documentBytes);
      });

      it("content that is not text", async ({ write, alice, documents }) => {
        expect(await codeOf(write(alice, "a\0b"))).toBe("usage");
        expect(await codeOf(write(alice, "\uD83D"))).toBe("usage");
        expect(await documents.list()).toEqual([]);
      });

      it("more documents than a workflow can have", async ({ store, team, write, alice }) => {
        for (let count = 0; count < documentsPerWorkflow; count++) {
          await store.writeDocument({ instance: team.id, author: "user" }, { file: `${count}.md`, content: "x" });
        }
        expect(await codeOf(write(alice, "one more", { file: "more.md" }))).toBe("limit");
        await store.writeDocument(
          { instance: team.id, author: "user" },
          { file: "0.md", content: null, base: "latest" },
        );
        expect(await codeOf(write(alice, "one more", { file: "more.md" }))).toBe("none");
      });

      for (const file of badNames) {
        it(`the name ${JSON.stringify(file)}`, async ({ write, documents, alice, user }) => {
          expect(await codeOf(write(alice, "x", { file }))).toBe("usage");
          expect(await codeOf(write(user, null, { file }))).toBe("usage");
          expect(await codeOf(documents.read(alice, file))).toBe("usage");
          expect(await codeOf(documents.append(alice, file, "x"))).toBe("usage");
          expect(await codeOf(documents.history(file, 10))).toBe("usage");
        });
      }
    });

    it("accepts names that people use", async ({ write, alice, documents }) => {
      const names = [
        "README",
        "notes.md",
        "a/b/c.md",
        "Ünïcode (draft).md",
        "v1.2_final-3.txt",
        "議事録.md",
        "x@y=z+1.md",
      ];
      for (const file of names) await write(alice, file, { file });
      expect((await documents.list()).map(({ file }) => file).sort()).toEqual(names.sort());
    });
  });
}

async function expectRefused(desk: Desk, refused: Promise<Outcome>, conflict: object) {
  const before = await desk.documents.history("notes.md", 10);
  const outcome = await refused;
  if (!("conflict" in outcome)) throw new Error("it was written");
  expect(outcome.conflict).toMatchObject(conflict);
  expect(await desk.documents.history("notes.md", 10)).toEqual(before);
  return outcome.conflict;
}

const badNames = [
  "",
  ".",
  "..",
  "../notes.md",
  "a/../../notes.md",
  "a/..",
  "./notes.md",
  "a/./b.md",
  "a//b.md",
  "a/",
  "/notes.md",
  "/etc/passwd",
  "//etc/passwd",
  "~/notes.md",
  "\\notes.md",
  "..\\notes.md",
  "a\\..\\..\\notes.md",
  "C:\\notes.md",
  "C:notes.md",
  "\\\\server\\share",
  "file:///etc/passwd",
  "%2e%2e/notes.md",
  "..%2fnotes.md",
  "%2e%2e%2f",
  "..%c0%af",
  "notes.md\0",
  "notes.md\0.txt",
  "a\nb.md",
  "a\rb.md",
  "a\tb.md",
  "\u001B[31mred.md",
  "\u202Egnp.md",
  "\u200Bnotes.md",
  ".hidden",
  ".git/config",
  ".agent-worker-0.new",
  "a/.hidden",
  "notes.md.",
  "notes.md ",
  " notes.md",
  "-rf",
  "*",
  "a?.md",
  "a|b",
  "a;b",
  "$(id)",
  "`id`",
  "${HOME}",
  "a:b.md",
  'a"b.md',
  "<a>.md",
  "．．/notes.md",
  "‥/notes.md",
  "e\u0301.md",
  "\uD83D.md",
  `${"a/".repeat(8)}b.md`,
  "x".repeat(201),
  "é".repeat(101),
];

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
