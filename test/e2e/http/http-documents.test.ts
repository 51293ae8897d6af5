/** Documents over HTTP, and what a workflow's start and end do to them. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkflowInput } from "../../../src/protocol/definition/definition.ts";
import { DocumentVersion } from "../../../src/protocol/document.ts";
import { DocumentHistory, DocumentList, WriteDocumentResponse } from "../../../src/protocol/http/documents.ts";
import { openTestDaemon } from "../../fixtures/open-daemon.ts";
import { canMakeReadOnly, makeReadOnly } from "../../fixtures/read-only.ts";

const team: WorkflowInput = { name: "team", agents: { alice: { backend: "mock" }, bob: { backend: "mock" } } };
const route = "/workflows/@team/documents";

async function openTeamDaemon(definition = team) {
  const daemon = await openTestDaemon();
  await daemon.start(definition);
  const folder = join(daemon.project, ".workflow/team/main/documents");
  return Object.assign(daemon, {
    folder,
    put: (file: string, body: object) => daemon.call("PUT", `${route}/${file}`, WriteDocumentResponse, { body }),
    get: (file: string, query = "") => daemon.call("GET", `${route}/${file}${query}`, DocumentVersion),
    list: () => daemon.call("GET", route, DocumentList),
  });
}

describe("a client", () => {
  test("writes, reads, lists, and sees the history", async () => {
    await using daemon = await openTeamDaemon();
    expect(await daemon.list()).toEqual({ documents: [], entryPoint: "notes.md", owner: null, folder: daemon.folder });
    expect(await daemon.get("-")).toMatchObject({ file: "notes.md", version: 0, content: "" });
    expect(await daemon.put("notes.md", { content: "one" })).toMatchObject({
      version: 1,
      author: "user",
      changed: true,
    });
    await daemon.put("plans/today.md", { content: "deep" });
    expect(await daemon.put("-", { content: "two", append: true })).toMatchObject({ version: 2, content: "one\ntwo" });
    expect(await daemon.get("plans/today.md")).toMatchObject({ content: "deep" });
    expect(await daemon.get("notes.md", "?version=1")).toMatchObject({ content: "one" });
    const { versions } = await daemon.call("GET", `${route}/notes.md?history=1`, DocumentHistory);
    expect(versions.map(({ version, author }) => [version, author])).toEqual([
      [2, "user"],
      [1, "user"],
    ]);
    expect((await daemon.list()).documents.map(({ file }) => file)).toEqual(["notes.md", "plans/today.md"]);
    expect(readFileSync(join(daemon.folder, "notes.md"), "utf8")).toBe("one\ntwo");
  });

  test("replaces the latest version, unless it names the version that its change is based on", async () => {
    await using daemon = await openTeamDaemon();
    await daemon.put("notes.md", { content: "one" });
    expect(await daemon.put("notes.md", { content: "two" })).toMatchObject({ version: 2 });
    const stale = await daemon.ask("PUT", `${route}/notes.md`, { body: { content: "three", base: 1 } });
    expect(stale).toMatchObject({ status: 409, error: { code: "conflict" } });
    expect(stale.error?.details).toMatchObject({ current: { content: "two" }, base: { content: "one" } });
    expect(await daemon.put("notes.md", { content: "three", base: 2 })).toMatchObject({ version: 3 });
  });

  test("deletes a document once", async () => {
    await using daemon = await openTeamDaemon();
    await daemon.put("notes.md", { content: "one" });
    expect((await daemon.ask("DELETE", `${route}/notes.md?base=7`)).status).toBe(409);
    expect(await daemon.call("DELETE", `${route}/notes.md`, WriteDocumentResponse)).toMatchObject({ deleted: true });
    expect((await daemon.ask("DELETE", `${route}/notes.md`)).status).toBe(404);
    expect(await daemon.get("notes.md", "?version=1")).toMatchObject({ content: "one" });
  });

  test.each([
    ["GET", "%2e%2e%2fx.md", 400],
    ["PUT", "%2e%2e%2fx.md", 400],
    ["PUT", "..%2f..%2fx.md", 400],
    ["PUT", "a%2f..%2f..%2fx.md", 400],
    ["PUT", "%2fetc%2fpasswd", 400],
    ["PUT", "..%5cx.md", 400],
    ["PUT", "x%00.md", 400],
    ["DELETE", "%2e%2e%2fx.md", 400],
    ["GET", "missing.md", 404],
    ["GET", "notes.md?version=0", 400],
    ["GET", "notes.md?version=3", 404],
    ["GET", "missing.md?history=1", 404],
  ])("%s …/%s is refused with %i", async (method, file, status) => {
    await using daemon = await openTeamDaemon();
    const asking = method === "PUT" ? { body: { content: "x" } } : {};
    const answer = await daemon.ask(method, `${route}/${file}`, asking);
    expect({ status: answer.status, error: answer.error?.code }).toEqual({ status, error: expect.any(String) });
    expect(existsSync(join(daemon.project, ".workflow"))).toBe(false);
  });

  test("cannot write content that is not a valid document", async () => {
    await using daemon = await openTeamDaemon();
    const large = await daemon.ask("PUT", `${route}/notes.md`, { body: { content: "x".repeat(10_000_000) } });
    expect(large).toMatchObject({ status: 413, error: { code: "too-large" } });
    expect((await daemon.ask("PUT", `${route}/notes.md`, { body: { content: "a\0" } })).status).toBe(400);
    expect((await daemon.ask("PUT", `${route}/notes.md`, { body: {} })).status).toBe(400);
  });

  test("gets an error for a folder that points outside the project", async () => {
    await using daemon = await openTeamDaemon();
    mkdirSync(join(daemon.home, "elsewhere"));
    symlinkSync(join(daemon.home, "elsewhere"), join(daemon.project, ".workflow"));
    const answer = await daemon.ask("PUT", `${route}/notes.md`, { body: { content: "x" } });
    expect(answer).toMatchObject({ status: 400, error: { message: expect.stringContaining("outside the project") } });
  });
});

describe("a start", () => {
  const context = { config: { documents: ["goals.md", "plans/todos.md"] } };
  const request = (daemon: { project: string }, fresh = false) => ({
    body: { definition: { ...team, context, kickoff: "@alice go" }, project: daemon.project, fresh },
  });

  test("creates the documents that the workflow lists, empty, and keeps existing ones", async () => {
    await using daemon = await openTestDaemon();
    const folder = join(daemon.project, ".workflow/team/main/documents");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "goals.md"), "Be kind.\n");
    expect((await daemon.ask("POST", "/serve", request(daemon))).status).toBe(200);
    expect(readFileSync(join(folder, "plans/todos.md"), "utf8")).toBe("");
    const { documents } = await daemon.call("GET", route, DocumentList);
    expect(documents.map(({ file, author, version }) => [file, author, version])).toEqual([
      ["goals.md", "user", 1],
      ["plans/todos.md", "system", 1],
    ]);
  });

  test("keeps the documents of the last run, and with --fresh only what people wrote", async () => {
    await using daemon = await openTestDaemon();
    const folder = join(daemon.project, ".workflow/team/main/documents");
    await daemon.ask("POST", "/serve", request(daemon));
    await daemon.ask("PUT", `${route}/goals.md`, { body: { content: "one" } });
    await daemon.ask("PUT", `${route}/notes.md`, { body: { content: "one" } });
    await daemon.ask("POST", "/serve", request(daemon));
    expect(await daemon.call("GET", `${route}/goals.md`, DocumentVersion)).toMatchObject({
      version: 2,
      content: "one",
    });
    await daemon.ask("POST", "/serve", request(daemon, true));
    const { documents } = await daemon.call("GET", route, DocumentList);
    expect(documents.map(({ file, author, version }) => [file, author, version])).toEqual([
      ["goals.md", "user", 1],
      ["notes.md", "user", 1],
      ["plans/todos.md", "system", 1],
    ]);
    expect(readFileSync(join(folder, "notes.md"), "utf8")).toBe("one");
  });

  test.skipIf(!canMakeReadOnly())("fails with the reason when --fresh cannot clear, and nothing hangs", async () => {
    await using daemon = await openTestDaemon();
    await daemon.ask("POST", "/serve", request(daemon));
    {
      using _ = makeReadOnly(join(daemon.project, ".workflow/team/main/documents"));
      const { text } = await daemon.ask("POST", "/serve", request(daemon, true));
      expect(JSON.parse(text)).toMatchObject({
        status: "failed",
        reason: expect.stringContaining("goals.md could not be"),
      });
    }
    expect(JSON.parse((await daemon.ask("POST", "/serve", request(daemon))).text)).toMatchObject({
      status: "completed",
    });
  });

  test("fails with the reason when its documents cannot be created", async () => {
    await using daemon = await openTestDaemon();
    writeFileSync(join(daemon.project, ".workflow"), "in the way");
    const { text } = await daemon.ask("POST", "/serve", request(daemon));
    expect(JSON.parse(text)).toMatchObject({
      status: "failed",
      exitCode: 1,
      reason: expect.stringContaining(".workflow/team/main/documents could not be"),
    });
  });
});
