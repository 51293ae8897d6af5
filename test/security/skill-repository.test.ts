/** A skill repository cannot fill the disk, collide with folders of an import, or bring a password into a workflow. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MiB, skillRepositoryFiles } from "../../src/protocol/limits.ts";
import { parseSkillSource } from "../../src/protocol/definition/skill-source.ts";
import { fetchRevision } from "../../src/skills/git.ts";
import { importSkills } from "../../src/skills/import-skills.ts";
import { temporaryFolder } from "../fixtures/folder.ts";
import { skillText, writeFiles } from "../fixtures/skill-repository.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => void (folder = await temporaryFolder()));
afterEach(() => folder[Symbol.asyncDispose]());

const at = (...parts: string[]) => join(folder.path, ...parts);
const url = () => `file://${at("source")}`;
const into = () => at("project/.agents/skills");
const env = () => ({ PATH: process.env.PATH, HOME: at("home") });
const { signal } = new AbortController();
const importing = () => importSkills(url(), { into: into(), force: false, home: at("home"), env: env(), signal });

function git(args: string[], stdin = ""): string {
  const author = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"];
  const { exitCode, stdout, stderr } = Bun.spawnSync(["git", "-C", at("source"), ...author, ...args], {
    env: { PATH: process.env.PATH ?? "", HOME: folder.path, GIT_CONFIG_NOSYSTEM: "1" },
    stdin: Buffer.from(stdin),
  });
  if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr.toString()}`);
  return stdout.toString().trim();
}

/** A repository with one skill of this name, and what `more` adds to the index. */
function makeRepository(name: string, more: () => void = () => {}): void {
  writeFiles(at("source"), { [`skills/${name}/SKILL.md`]: skillText(name, "A skill") });
  git(["init", "--quiet"]);
  git(["add", "-A"]);
  more();
  git(["commit", "--quiet", "-m", "first"]);
}

function storeBlob(content: string | Buffer): string {
  writeFileSync(at("blob"), content);
  return git(["hash-object", "-w", at("blob")]);
}

describe("a skill", () => {
  test.each(["repository", "skills", "importing"])("named %s is imported like any other", async (name) => {
    makeRepository(name);
    const [skill] = await importing();
    expect(skill).toMatchObject({ name, folder: join(into(), name) });
    expect(readdirSync(into())).toEqual([name]);
    expect(readdirSync(join(into(), name))).toEqual(["SKILL.md"]);
  });
});

describe("a repository", () => {
  test("that unpacks to 770 MiB is refused before it is unpacked", async () => {
    makeRepository("big", () => {
      const zeros = storeBlob(Buffer.alloc(10 * MiB));
      const files = Array.from({ length: 77 }, (_, index) => `100644 ${zeros}\tskills/big/${index}`);
      git(["update-index", "--index-info"], `${files.join("\n")}\n`);
    });
    await expect(importing()).rejects.toThrow("the repository unpacks to more than 128 MiB");
    expect(readdirSync(into())).toEqual([]);
  });

  test("with too many files is refused", async () => {
    makeRepository("many", () => {
      const empty = storeBlob("");
      const files = Array.from({ length: skillRepositoryFiles }, (_, index) => `100644 ${empty}\tskills/many/${index}`);
      git(["update-index", "--index-info"], `${files.join("\n")}\n`);
    });
    await expect(importing()).rejects.toThrow(`the repository has more than ${skillRepositoryFiles} files and folders`);
  });

  test("with folders in folders, ten thousand million in all, is refused", async () => {
    makeRepository("bomb");
    let tree = git(["mktree"], "");
    for (let level = 0; level < 10; level++) {
      const entries = Array.from({ length: 10 }, (_, index) => `040000 tree ${tree}\td${index}`);
      tree = git(["mktree"], `${entries.join("\n")}\n`);
    }
    git(["update-ref", "refs/heads/main", git(["commit-tree", tree, "-m", "bomb"])]);
    await expect(importing()).rejects.toThrow(`the repository has more than ${skillRepositoryFiles} files and folders`);
  });

  test("that sends more than the limit is cut off while it is fetched", async () => {
    makeRepository("heavy", () => {
      git(["update-index", "--add", "--cacheinfo", `100644,${storeBlob(randomBytes(3 * MiB))},skills/heavy/x`]);
    });
    writeFiles(folder.path, { "into/.keep": "" });
    const limits = { bytes: MiB, files: 100 };
    await expect(fetchRevision({ url: url(), ref: null }, at("into"), env(), signal, limits)).rejects.toThrow(
      "the repository is larger than 1 MiB",
    );
    expect(existsSync(at("into/skills"))).toBe(false);
  });
});

describe("a source with credentials", () => {
  test.each([
    "https://bob:secret@example.com/owner/repo.git",
    "https://secret@example.com/owner/repo.git@v1:{pdf}",
    "HTTPS://bob:secret@example.com/owner/repo",
    "http://:secret@example.com/owner/repo",
    "https://bob:sec/secret@example.com/owner/repo",
    "ssh://git:secret@example.com/owner/repo",
    "ftp://bob:secret@example.com/owner/repo",
  ])("%s is refused with advice, and the secret is not shown", (source) => {
    const { problem = "" } = { problem: "", ...parseSkillSource(source) };
    expect(problem).toContain("credential helper");
    expect(problem).not.toContain("secret");
  });

  test.each(["ssh://git@example.com/owner/repo", "git@example.com:owner/repo.git", "https://example.com:8443/o/r@v1"])(
    "%s has none",
    (source) => expect(parseSkillSource(source)).toMatchObject({ kind: "git" }),
  );
});
