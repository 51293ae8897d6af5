/** Documents end to end: mock agents write them, people read and change them with `doc` and with an editor. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DocumentVersion } from "../../../src/protocol/document.ts";
import type { DocumentList } from "../../../src/protocol/http/documents.ts";
import { openProgram, type Program } from "../../fixtures/program.ts";

const team = `name: team
context:
  config: { documents: [goals.md] }
agents:
  writer:
    backend: mock
    script:
      - - tool: { name: document_write, args: { content: "# Findings\\n" } }
        - expect: written
        - tool: { name: document_append, args: { file: goals.md, content: "Be quick." } }
        - say: "@reader it is written down."
  reader:
    backend: mock
    script:
      - - tool: { name: document_write, args: { content: "mine" } }
        - expect: made without reading it
        - tool: { name: document_read }
        - expect: "version 1, by writer"
        - tool: { name: document_write, args: { content: "\${{ result }}\\nread and agreed\\n" } }
        - expect: version 2
        - tool: { name: document_list }
        - expect: "goals.md: version 2, by writer"
        - say: agreed
kickoff: "@writer please"
`;

let program: Program;
let folder: string;
beforeAll(async () => {
  program = await openProgram();
  program.write("team.yaml", team);
  folder = join(program.project, ".workflow/team/main/documents");
});
afterAll(() => program[Symbol.asyncDispose]());

test("documents that a team writes are files for people", async () => {
  const { exitCode, stdout, stderr } = await program.give(["run", "team.yaml"]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "agreed\n" });
  expect(readFileSync(join(folder, "notes.md"), "utf8")).toContain("# Findings\n\nread and agreed\n");
  expect(readFileSync(join(folder, "goals.md"), "utf8")).toBe("Be quick.");
  for (const part of ["✎ goals.md v1", "✎ notes.md v1", "✎ notes.md v2", "document_write failed"]) {
    expect(stderr).toContain(part);
  }
});

describe("doc", () => {
  test("read prints the entry point, a named document, or an earlier version, unchanged", async () => {
    expect((await program.give(["doc", "read", "@team"])).stdout).toContain("read and agreed\n");
    expect((await program.give(["doc", "read", "@team", "goals.md"])).stdout).toBe("Be quick.\n");
    expect((await program.give(["doc", "read", "@team", "notes.md", "--at", "1"])).stdout).toBe("# Findings\n");
    expect((await program.give(["doc", "read", "goals.md", "--to", "@team"])).stdout).toBe("Be quick.\n");
    expect(await program.ask<DocumentVersion>("doc", "read", "@team", "goals.md")).toMatchObject({
      file: "goals.md",
      version: 2,
      author: "writer",
      content: "Be quick.",
    });
  });

  test("list shows the documents and their folder", async () => {
    const { stdout, stderr } = await program.give(["doc", "list", "@team"]);
    expect(stdout).toMatch(/^v2 .+ writer +9 bytes +goals\.md\nv2 .+ reader +\d+ bytes +notes\.md\n/);
    expect(stderr).toContain(folder);
    const { documents, entryPoint } = await program.ask<DocumentList>("doc", "list", "@team");
    expect([documents.length, entryPoint]).toEqual([2, "notes.md"]);
  });

  test("write and append take arguments or stdin, and diff shows the changes", async () => {
    const written = await program.give(["doc", "write", "@team", "plan.md"], { stdin: "one\ntwo\nthree\n" });
    expect(written).toMatchObject({ exitCode: 0, stdout: "wrote plan.md, version 1\n" });
    await program.give(["doc", "append", "@team", "plan.md", "four"]);
    await program.give(["doc", "write", "@team", "plan.md", "-"], { stdin: "one\n2\nthree\nfour\n" });
    expect((await program.give(["doc", "diff", "@team", "plan.md", "1", "3"])).stdout).toBe(
      "--- plan.md version 1\n+++ plan.md version 3\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four\n",
    );
    expect((await program.give(["doc", "diff", "@team", "plan.md"])).stdout).toContain("--- plan.md version 2\n");
    expect((await program.give(["doc", "diff", "@team", "plan.md", "0", "1"])).stdout).toContain("+one\n");
    const { stdout } = await program.give(["doc", "history", "@team", "plan.md"]);
    expect(stdout.match(/^v\d/gm)).toEqual(["v3", "v2", "v1"]);
    expect(readFileSync(join(folder, "plan.md"), "utf8")).toBe("one\n2\nthree\nfour\n");
  });

  test.each(["write", "append"])('%s takes an empty stdin for a mistake, and "" at its word', async (verb) => {
    for (const words of [["@team"], ["@team", "empty.md"], ["@team", "empty.md", "-"]]) {
      const { exitCode, stdout, stderr } = await program.give(["doc", verb, ...words]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
      expect(stderr).toContain("on stdin, but it was empty");
      expect(stderr).toContain('"" for an empty text');
    }
    expect((await program.give(["doc", verb, "@team", `${verb}.md`, ""])).exitCode).toBe(0);
    expect(await program.ask<DocumentVersion>("doc", "read", "@team", `${verb}.md`)).toMatchObject({ content: "" });
  });

  test("write --base refuses to overwrite a newer version, and shows both", async () => {
    await program.give(["doc", "write", "@team", "race.md", "one"]);
    writeFileSync(join(folder, "race.md"), "edited by hand");
    const { exitCode, stderr } = await program.give(["doc", "write", "@team", "race.md", "two", "--base", "1"]);
    expect(exitCode).toBe(1);
    for (const part of ["version 2, by user", "edited by hand", "version 1, by user", "one"]) {
      expect(stderr).toContain(part);
    }
    expect((await program.give(["doc", "read", "@team", "race.md"])).stdout).toBe("edited by hand\n");
  });

  test.each([
    [["doc", "reed", "@team"], 2, "did you mean 'read'?"],
    [["doc", "read", "@team", "gaols.md"], 2, "did you mean goals.md?"],
    [["doc", "read", "@team", "../../../team.yaml"], 2, "leaves the documents folder"],
    [["doc", "read", "@team", "/etc/passwd"], 2, "absolute path"],
    [["doc", "write", "@team", "../x.md", "x"], 2, "leaves the documents folder"],
    [["doc", "read", "@team", "goals.md", "--at", "9"], 2, "its versions are 1 to 2"],
    [["doc", "diff", "@team", "goals.md", "one"], 2, "is not a version"],
    [["doc", "list", "@team", "more"], 2, "unexpected argument 'more'"],
    [["doc", "read", "@nobody"], 2, "there is no workflow"],
  ])("%p exits with %i", async (line, code, says) => {
    const { exitCode, stderr } = await program.give(line);
    expect({ exitCode, says: stderr.includes(says) ? says : stderr }).toEqual({ exitCode: code, says });
  });

  test("refuses a document of 10 MB", async () => {
    const { exitCode, stderr } = await program.give(["doc", "write", "@team", "big.md"], { stdin: "x".repeat(1e7) });
    expect({ exitCode, says: stderr.includes("at most 1024 KiB") }).toEqual({ exitCode: 2, says: true });
    expect(existsSync(join(folder, "big.md"))).toBe(false);
  });
});
