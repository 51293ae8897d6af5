import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "../protocol/error.ts";
import { loadWorkflow } from "./load.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "aw-load-"));
  mkdirSync(join(folder, "prompts"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: string | Uint8Array): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

async function failure(file: string, options?: { mustWork?: boolean }): Promise<AppError> {
  const result = await loadWorkflow(file, options).catch((error: unknown) => error);
  if (!(result instanceof AppError)) throw new Error("expected an AppError", { cause: result });
  return result;
}

function withPrompt(prompt: string): string {
  return `agents:\n  a: { backend: mock, system_prompt: ${JSON.stringify(prompt)} }\n`;
}

const good = "agents: { a: { backend: mock }, b: { backend: mock } }\nkickoff: '@a go'\n";

test("returns the file, its folder, its content and the definition", async () => {
  const file = write("review.yaml", good);
  const loaded = await loadWorkflow(file);
  expect(loaded).toMatchObject({ file, dir: folder, source: good, warnings: [], input: { name: "review" } });
  expect(loaded.definition.agents["a"]).toMatchObject({ backend: "mock", timeout: 1_800_000 });
  expect(JSON.parse(JSON.stringify(loaded.input))).toEqual(loaded.input);
});

test("reads a file with a byte order mark and Windows line endings", async () => {
  const file = write("bom.yaml", `\uFEFF${good.replaceAll("\n", "\r\n")}`);
  expect((await loadWorkflow(file)).definition.kickoff).toBe("@a go");
});

test("throws every mistake, formatted, with the diagnostics as details", async () => {
  const file = write("bad.yaml", "agents: { a: { backend: mok } }\nkickof: x\n");
  const error = await failure(file);
  expect(error.code).toBe("invalid-workflow");
  expect(error.message).toBe(
    [
      `${file}:1:25: error: unknown backend 'mok': did you mean 'mock'?`,
      "  1 | agents: { a: { backend: mok } }",
      "    |                         ^",
      "  hint: one of sdk, claude, codex, cursor, opencode, acp, command, mock",
      `${file}:2:1: error: unknown key 'kickof': did you mean 'kickoff'?`,
      "  2 | kickof: x",
      "    | ^",
    ].join("\n"),
  );
  expect(error.details).toMatchObject([
    { path: "agents.a.backend", line: 1, column: 25, file },
    { path: "kickof", line: 2, column: 1, file },
  ]);
});

test("returns warnings with the workflow, and rejects a run that would do nothing", async () => {
  const file = write("idle.yaml", good.replace("@a go", "go"));
  const { warnings } = await loadWorkflow(file);
  expect(warnings).toMatchObject([{ severity: "warning", line: 2, column: 1 }]);
  const error = await failure(file, { mustWork: true });
  expect(error.message).toContain(`${file}:2:1: error: the kickoff mentions no agent`);
});

describe("an unusable file gets one error", () => {
  test("a missing file, with the file that was probably meant", async () => {
    write("deploy.yaml", good);
    const error = await failure(join(folder, "delpoy.yaml"));
    expect(error.code).toBe("usage");
    expect(error.message).toBe(`there is no file '${join(folder, "delpoy.yaml")}'`);
    expect(error.hint).toBe(`did you mean ${join(folder, "deploy.yaml")}?`);
    expect((await failure(join(folder, "deploy"))).hint).toBe(`did you mean ${join(folder, "deploy.yaml")}?`);
  });

  test("a missing file, if no name is similar or the folder does not exist", async () => {
    expect((await failure(join(folder, "zzzzzz"))).hint).toStartWith(`found ${folder}`);
    expect((await failure(join(folder, "nowhere", "x.yaml"))).hint).toBe("pass the path of a .yaml file");
    expect((await failure(join(folder, "deploy.yaml", "x.yaml"))).message).toStartWith("there is no file");
    expect((await failure("")).code).toBe("usage");
  });

  test.each([
    ["a folder", () => folder, "is a folder, not a workflow file"],
    ["an empty file", () => write("empty.yaml", ""), "there is nothing in this file"],
    [
      "a binary file",
      () => write("binary.yaml", new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 255])),
      "is a binary file",
    ],
    ["a file with a NUL", () => write("nul.yaml", "name: a\0b"), "is a binary file"],
    ["Latin-1", () => write("latin.yaml", new Uint8Array([0x61, 0x3a, 0x20, 0xe9])), "is not UTF-8 text"],
    ["UTF-16", () => write("utf16.yaml", new Uint8Array([0xff, 0xfe, 0x61, 0])), "is UTF-16 text"],
    ["a file over 1 MiB", () => write("large.yaml", "#".repeat(1024 * 1024 + 1)), "is larger than 1 MiB"],
    ["a device", () => "/dev/zero", "is not a regular file"],
  ])("%s", async (_, make, sentence) => {
    const error = await failure(make());
    expect(error.code).toBe("invalid-workflow");
    expect(error.message).toContain(sentence);
    expect(error.details).toBeArrayOfSize(1);
  });

  test("a huge sparse file, without reading it", async () => {
    const file = write("sparse.yaml", "");
    truncateSync(file, 1024 ** 4);
    expect((await failure(file)).message).toContain("is larger than 1 MiB");
  });

  test("a pipe, without waiting for it", async () => {
    const pipe = join(folder, "pipe.yaml");
    expect(Bun.spawnSync(["mkfifo", pipe]).exitCode).toBe(0);
    expect((await failure(pipe)).message).toContain("is not a regular file");
  });

  test("a link to itself", async () => {
    const link = join(folder, "loop.yaml");
    symlinkSync(link, link);
    expect((await failure(link)).message).toContain("cannot be read: ELOOP");
  });

  test.skipIf(process.getuid?.() === 0)("a file without read permission", async () => {
    const file = write("secret.yaml", good);
    chmodSync(file, 0o000);
    expect((await failure(file)).message).toContain("cannot be read: permission denied");
  });
});

describe("a system prompt", () => {
  test("that is a path is read relative to the workflow file and included in the posted input", async () => {
    write("prompts/a.md", "You are {a}.\nBe kind.\n");
    write("prompts/b.txt", "See README.md");
    for (const [path, text] of [
      ["prompts/a.md", "You are {a}.\nBe kind.\n"],
      ["./prompts/../prompts/b.txt", "See README.md"],
      [join(folder, "prompts/a.md"), "You are {a}.\nBe kind.\n"],
    ] as const) {
      const { input, definition } = await loadWorkflow(write("prompted.yaml", withPrompt(path)));
      expect(input.agents["a"]?.system_prompt).toBe(text);
      expect(definition.agents["a"]?.system_prompt).toBe(text);
    }
  });

  test.each(["You are kind.", "Read a.md\nand b.md", "Read README.md.", "Use ${{ source.dir }}/notes.md"])(
    "that is not a path is not changed: %j",
    async (prompt) => {
      const { input } = await loadWorkflow(write("inline.yaml", withPrompt(prompt)));
      expect(input.agents["a"]?.system_prompt).toBe(prompt);
    },
  );

  test("whose file is missing is an error with its position and the file that was probably meant", async () => {
    write("prompts/reviewer.md", "x");
    const file = write("missing.yaml", withPrompt("prompts/reveiwer.md"));
    const error = await failure(file);
    expect(error.details).toMatchObject([
      {
        path: "agents.a.system_prompt",
        line: 2,
        column: 38,
        message: `there is no file '${join(folder, "prompts/reveiwer.md")}': did you mean '${join(folder, "prompts/reviewer.md")}'?`,
      },
    ]);
  });

  test("whose file is a folder, binary or too large is an error", async () => {
    mkdirSync(join(folder, "folder.md"));
    write("binary.md", new Uint8Array([0, 1, 2]));
    write("large.md", "x".repeat(256 * 1024 + 1));
    for (const [path, sentence] of [
      ["folder.md", "is a folder"],
      ["binary.md", "is a binary file"],
      ["large.md", "is larger than 256 KiB"],
    ] as const) {
      expect((await failure(write("wrong.yaml", withPrompt(path)))).message).toContain(sentence);
    }
  });

  test("can be a template in its file too, and mistakes are shown there", async () => {
    write("prompts/template.md", "You work in ${{ workflow.name }}.\nRead ${{ dif }}.\n");
    const error = await failure(write("template.yaml", withPrompt("prompts/template.md")));
    const prompt = join(folder, "prompts/template.md");
    expect(error.details).toMatchObject([{ message: "unknown name 'dif'", line: 2, column: 6, file: prompt }]);
    expect(error.message).toStartWith(`${prompt}:2:6: error: unknown name 'dif'`);
  });

  test("that two agents share through an alias is read for each of them", async () => {
    write("prompts/path.md", "other.md");
    const file = write("shared.yaml", "agents:\n  a: &a { backend: mock, system_prompt: prompts/path.md }\n  b: *a\n");
    const { input } = await loadWorkflow(file);
    expect(Object.values(input.agents).map((agent) => agent.system_prompt)).toEqual(["other.md", "other.md"]);
  });
});
