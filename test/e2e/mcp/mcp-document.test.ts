/** The document tools as an agent's runtime calls them: reads, writes, refusals, owners. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkflowInput } from "../../../src/protocol/definition/definition.ts";
import {
  DocumentListResult,
  DocumentReadResult,
  DocumentSuggestResult,
  DocumentWriteResult,
} from "../../../src/protocol/tools/document.ts";
import { claimTurn } from "../../fixtures/claimed-turn.ts";
import { connectMcp, eras } from "../../fixtures/mcp-client.ts";
import { openTestDaemon } from "../../fixtures/open-daemon.ts";

/** A team of two agents, each with a turn and a client. */
async function openDesk({ era = eras[0], context, agents = ["alice", "bob"] }: Options = {}) {
  const daemon = await openTestDaemon();
  const { store, project } = daemon;
  const definition: WorkflowInput = {
    name: "team",
    agents: Object.fromEntries(agents.map((name) => [name, { backend: "mock" as const }])),
    context,
  };
  const opened = await store.openRun({ definition, tag: "main", project, dir: project, mode: "start", fresh: false });
  const team = opened.instance.id;
  await store.kickoff(team, null);
  const connect = async (agent: string) => connectMcp(daemon.url, (await claimTurn(store, team, agent)).token, { era });
  const alice = await connect("alice");
  const bob = agents.includes("bob") ? await connect("bob") : alice;
  const folder = join(project, ".workflow/team/main/documents");
  return {
    daemon,
    team,
    alice,
    bob,
    folder,
    onDisk: (file = "notes.md") => readFileSync(join(folder, file), "utf8"),
    write: (args: object) => alice.result("document_write", DocumentWriteResult, { ...args }),
    read: (args = {}) => alice.result("document_read", DocumentReadResult, args),
    async [Symbol.asyncDispose]() {
      for (const client of new Set([alice, bob])) await client[Symbol.asyncDispose]();
      await daemon[Symbol.asyncDispose]();
    },
  };
}
type Options = { era?: (typeof eras)[number]; context?: WorkflowInput["context"]; agents?: string[] };

describe.each(eras)("documents (%s)", (era) => {
  test("are written, read and listed; the entry point is the default", async () => {
    await using desk = await openDesk({ era });
    expect(await desk.read()).toMatchObject({ file: "notes.md", version: 0, content: "" });
    const written = await desk.alice.call("document_write", { content: "# Findings\n" });
    expect(written.text).toContain("written");
    expect(written.structured).toEqual({ file: "notes.md", version: 1, changed: true });
    expect(desk.onDisk()).toBe("# Findings\n");
    expect(await desk.write({ content: "deep", file: "plans/today.md" })).toMatchObject({ version: 1 });
    const seen = await desk.bob.call("document_read");
    expect(seen.text).toContain("version 1, by alice:\n\n# Findings");
    const list = await desk.bob.result("document_list", DocumentListResult);
    expect(list).toMatchObject({ entryPoint: "notes.md", owner: null });
    expect(list.documents.map(({ file, version }) => [file, version])).toEqual([
      ["notes.md", 1],
      ["plans/today.md", 1],
    ]);
  });

  test("are appended to, created once, deleted, and read in earlier versions", async () => {
    await using desk = await openDesk({ era });
    await desk.alice.result("document_append", DocumentWriteResult, { content: "one" });
    await desk.bob.result("document_append", DocumentWriteResult, { content: "two" });
    expect((await desk.read()).content).toBe("one\ntwo");
    await desk.alice.result("document_create", DocumentWriteResult, { file: "todos.md" });
    const again = await desk.bob.call("document_create", { file: "todos.md", content: "mine" });
    expect(again).toMatchObject({ ok: false, text: expect.stringContaining("already exists: version 1, by alice") });
    await desk.alice.result("document_delete", DocumentWriteResult, { file: "notes.md" });
    expect(existsSync(join(desk.folder, "notes.md"))).toBe(false);
    expect((await desk.read()).version).toBe(0);
    expect((await desk.read({ version: 1 })).content).toBe("one");
    expect((await desk.alice.call("document_read", { version: 9 })).text).toContain("its versions are 1 to 3");
  });

  test("that are missing get an error that lists the existing ones", async () => {
    await using desk = await openDesk({ era });
    await desk.write({ content: "x", file: "goals.md" });
    for (const tool of ["document_read", "document_delete"]) {
      const { ok, text } = await desk.alice.call(tool, { file: "goal.md" });
      expect({ ok, text }).toEqual({ ok: false, text: expect.stringContaining("there is no document goal.md") });
    }
    expect((await desk.alice.call("document_read", { file: "goal.md" })).text).toContain("did you mean goals.md?");
  });

  test("refuse a stale or unread base, and show both versions and what to do", async () => {
    await using desk = await openDesk({ era });
    await desk.write({ content: "first" });
    await desk.bob.call("document_read");
    await desk.write({ content: "second" });
    const stale = await desk.bob.call("document_write", { content: "bob's own" });
    expect(stale.ok).toBe(false);
    for (const part of ["version 1, by alice\nfirst", "version 2, by alice\nsecond", "base_version 2", "resource"]) {
      expect(stale.text).toContain(part);
    }
    const id = /resource ([0-9a-f]{64})/.exec(stale.text)?.[1];
    expect((await desk.bob.call("resource_read", { id })).text).toBe("bob's own");
    const unread = await desk.alice.call("document_write", { file: "other.md", content: "x", base_version: 4 });
    expect(unread.ok).toBe(false);
    const merged = await desk.bob.result("document_write", DocumentWriteResult, { content: "both", base_version: 2 });
    expect(merged).toMatchObject({ version: 3 });
    expect(desk.onDisk()).toBe("both");
  });

  test("refuse names outside their folder, and content that is too large", async () => {
    await using desk = await openDesk({ era });
    for (const file of ["../x.md", "/etc/passwd", "a/../../x.md", "", ".git/config", "x\0.md"]) {
      for (const [tool, more] of [
        ["document_read", {}],
        ["document_write", { content: "x" }],
        ["document_append", { content: "x" }],
        ["document_create", { content: "x" }],
        ["document_delete", {}],
      ] as const) {
        expect((await desk.alice.call(tool, { file, ...more })).ok).toBe(false);
      }
    }
    const large = await desk.alice.call("document_write", { content: "x".repeat(10_000_000) });
    expect(large).toMatchObject({ ok: false, text: expect.stringContaining("the limit for a document is 1 MiB") });
    expect(existsSync(desk.folder)).toBe(false);
  });
});

test("an agent reads what a person has saved", async () => {
  await using desk = await openDesk();
  await desk.write({ content: "one" });
  writeFileSync(join(desk.folder, "notes.md"), "edited");
  expect(await desk.read()).toMatchObject({ version: 2, author: "user", content: "edited" });
});

test("`documents: sqlite` leaves nothing on disk; `config` sets folder and entry point", async () => {
  await using stored = await openDesk({ context: { documents: "sqlite" } });
  await stored.write({ content: "one" });
  expect((await stored.read()).content).toBe("one");
  expect(existsSync(join(stored.daemon.project, ".workflow"))).toBe(false);
  const config = { dir: "shared/${{ workflow.name }}-${{ workflow.tag }}", documentDir: "docs", document: "plan.md" };
  await using named = await openDesk({ context: { config } });
  await named.write({ content: "two" });
  expect(readFileSync(join(named.daemon.project, "shared/team-main/docs/plan.md"), "utf8")).toBe("two");
});

test("a workflow without a context has no documents", async () => {
  await using desk = await openDesk({ context: false });
  expect(await desk.alice.call("document_read")).toMatchObject({
    ok: false,
    text: expect.stringContaining("context: false"),
  });
});

describe("with an owner", () => {
  const context = { documentOwner: "Bob" };

  test("only the owner can write; the others learn how to suggest, and all can read", async () => {
    await using desk = await openDesk({ context });
    await desk.bob.result("document_write", DocumentWriteResult, { content: "one" });
    for (const [tool, args] of [
      ["document_write", { content: "x", base_version: 1 }],
      ["document_append", { content: "x" }],
      ["document_create", { file: "y.md" }],
      ["document_delete", { file: "notes.md", base_version: 1 }],
    ] as const) {
      const { ok, text } = await desk.alice.call(tool, args);
      expect({ tool, ok, text }).toEqual({ tool, ok: false, text: expect.stringContaining("document_suggest") });
    }
    expect(await desk.read()).toMatchObject({ version: 1, content: "one" });
    expect((await desk.alice.result("document_list", DocumentListResult)).owner).toBe("bob");
  });

  test("a suggestion is a message to the owner, and wakes no agent that it mentions", async () => {
    await using desk = await openDesk({ context, agents: ["alice", "bob", "carol"] });
    const content = "Ask @carol and @user: ``` unclosed";
    const sent = await desk.alice.result("document_suggest", DocumentSuggestResult, { content });
    expect(sent.owner).toBe("bob");
    const found = await desk.daemon.store.message(sent.id);
    expect(found?.message).toMatchObject({ sender: "alice", recipients: ["bob"] });
    expect(found?.message.content).toBe(`A suggestion for notes.md:\n\n${content}`);
    expect((await desk.bob.call("document_suggest", { content })).text).toContain("you own the documents");
    expect((await desk.alice.call("document_suggest", { content: " " })).ok).toBe(false);
    const long = await desk.alice.call("document_suggest", { content: "x".repeat(300_000) });
    expect(long).toMatchObject({ ok: false, text: expect.stringContaining("resource_create") });
  });

  test("a single agent owns what it writes", async () => {
    await using desk = await openDesk({ context: { documentOwner: "alice" }, agents: ["alice"] });
    expect(await desk.write({ content: "one" })).toMatchObject({ version: 1 });
    expect((await desk.alice.call("document_suggest", { content: "x" })).text).toContain("have no owner");
  });
});

test("annotations mark reading as read-only and deleting as destructive", async () => {
  await using desk = await openDesk();
  const { tools } = await desk.alice.client.listTools();
  const hints = Object.fromEntries(
    tools
      .filter(({ name }) => /^(document|resource)_/.test(name))
      .map(({ name, annotations, outputSchema }) => {
        expect([name, outputSchema?.type]).toEqual([name, "object"]);
        return [name, `${annotations?.readOnlyHint} ${annotations?.destructiveHint} ${annotations?.idempotentHint}`];
      }),
  );
  expect(hints).toEqual({
    document_read: "true false true",
    document_write: "false false true",
    document_append: "false false false",
    document_list: "true false true",
    document_create: "false false false",
    document_delete: "false true false",
    document_suggest: "false false false",
    resource_create: "false false true",
    resource_read: "true false true",
  });
});
