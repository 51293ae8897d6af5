import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/fixtures/folder.ts";
import { makeSkillRepository, skillText, writeFiles } from "../../test/fixtures/skill-repository.ts";
import { findSkills } from "./find-skills.ts";
import { readFrontMatter } from "./front-matter.ts";
import { importSkills } from "./import-skills.ts";
import { readBody } from "./skill.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => void (folder = await temporaryFolder()));
afterEach(() => folder[Symbol.asyncDispose]());

const at = (...parts: string[]) => join(folder.path, ...parts);
const env = () => ({ PATH: process.env.PATH, HOME: at("home") });
const { signal } = new AbortController();
const find = (sources: string[] | false = []) =>
  findSkills({ sources, cwd: at("project"), home: at("home"), cache: { folder: at("cache"), env: env(), signal } });
const names = async (sources?: string[]) => (await find(sources)).skills.map(({ name, from }) => `${name} of ${from}`);

describe("front matter", () => {
  test.each([
    [
      '---\nname: a\ndescription: Use when: "quoted" # and more\n---\nbody',
      { name: "a", description: 'Use when: "quoted" # and more' },
    ],
    ["---\nname: 'it''s'\ndescription: \"say \\\"hi\\\"\"\n---\n", { name: "it's", description: 'say "hi"' }],
    [
      "---\nname: a\ndescription: >-\n  one\n  two\nlicense: MIT\n---\n",
      { name: "a", description: "one two", license: "MIT" },
    ],
    ["---\r\nname: a\r\ndescription: b\r\n---\r\nbody", { name: "a", description: "b" }],
    ["no front matter", {}],
    ["---\nnever ends", {}],
  ])("%j", (text, fields) => {
    expect(readFrontMatter(text).fields).toEqual(fields);
  });

  test("the rest of the file is the body", () => {
    expect(readFrontMatter("---\nname: a\n---\n# Body\n---\nmore").body).toBe("# Body\n---\nmore");
    expect(readFrontMatter("plain").body).toBe("plain");
  });
});

describe("finding", () => {
  test("searches the agent's sources, its folder and the home folder, in this order", async () => {
    writeFiles(folder.path, {
      "project/.agents/skills/pdf/SKILL.md": skillText("pdf", "of the project"),
      "project/.claude/skills/review/SKILL.md": skillText("review", "of the project"),
      "project/.claude/skills/pdf/SKILL.md": skillText("pdf", "hidden by the other"),
      "home/.agents/skills/mail/SKILL.md": skillText("mail", "of the home"),
      "home/.claude/skills/pdf/SKILL.md": skillText("pdf", "hidden too"),
      "own/mail/SKILL.md": skillText("mail", "of the agent"),
      "own/more/deep/draw/SKILL.md": skillText("draw", "of the agent"),
    });
    expect(await names([at("own")])).toEqual([
      `mail of ${at("own")}`,
      `draw of ${at("own")}`,
      "pdf of .agents/skills",
      "review of .claude/skills",
    ]);
    expect(await names([at("own/mail")])).toContain(`mail of ${at("own/mail")}`);
    expect(await find(false)).toEqual({ skills: [], problems: [] });
  });

  test("reports and skips a broken skill in the usual places; follows links to skills, but no links out of them", async () => {
    writeFiles(folder.path, {
      "project/.agents/skills/bare/SKILL.md": "no front matter",
      "project/.agents/skills/odd/SKILL.md": skillText("o d d", "x"),
      "elsewhere/linked/SKILL.md": skillText("linked", "by a link"),
      secret: skillText("secret", "not for you"),
    });
    symlinkSync(at("elsewhere/linked"), at("project/.agents/skills/linked"));
    mkdirSync(at("project/.agents/skills/thief"));
    symlinkSync(at("secret"), at("project/.agents/skills/thief/SKILL.md"));
    const { skills, problems } = await find();
    expect(skills.map(({ name }) => name)).toEqual(["linked"]);
    expect(problems).toEqual([expect.stringContaining("no description"), expect.stringContaining("'o d d'")]);
  });

  test("fails if a source is not available", async () => {
    writeFiles(folder.path, { "own/readme": "" });
    await expect(find([at("own")])).rejects.toThrow("there is no skill in");
    await expect(find([at("nowhere")])).rejects.toThrow("there is no skill in");
    await expect(find([`file://${at("nowhere")}`])).rejects.toThrow("cannot be fetched");
  });
});

describe("a repository", () => {
  test("is fetched once, at its ref, and runs no code", async () => {
    const { url, canary, commit } = makeSkillRepository(folder.path);
    // Not even hooks that the user's own settings make git run in every repository.
    const hooks = at("repository/.git/hooks");
    writeFiles(folder.path, {
      "home/.gitconfig": `[core]\n\thooksPath = ${hooks}\n\tfsmonitor = ${hooks}/fsmonitor\n`,
    });
    const [pdf] = (await find([`${url}@v1:{pdf}`])).skills;
    expect(pdf).toMatchObject({ name: "pdf", description: "Reads PDF files" });
    expect((await find([`${url}@${commit}:pdf`])).skills[0]?.description).toBe("Reads and writes PDF files");
    expect(await names([url])).toEqual([`charts of ${url}`, `pdf of ${url}`]);
    // From here on, only the fetched copy exists.
    rmSync(at("repository"), { recursive: true });
    expect(await names([`${url}@v1`])).toHaveLength(2);
    expect(readdirSync(at("cache")).filter((name) => name.startsWith("."))).toEqual([]);
    expect(existsSync(canary)).toBe(false);
  });

  test("is fetched again when it is old, and kept if that fails", async () => {
    const { url } = makeSkillRepository(folder.path);
    await find([url]);
    const [cached] = readdirSync(at("cache"));
    const longAgo = new Date(Date.now() - 48 * 3_600_000);
    utimesSync(at("cache", cached!), longAgo, longAgo);
    rmSync(at("cache", cached!, "skills/pdf"), { recursive: true });
    expect((await find([url])).skills).toHaveLength(2);
    utimesSync(at("cache", cached!), longAgo, longAgo);
    rmSync(at("repository"), { recursive: true });
    expect((await find([url])).skills).toHaveLength(2);
  });

  test("lists its skills when one is missing", async () => {
    const { url } = makeSkillRepository(folder.path);
    await expect(find([`${url}:{pdf,pfd}`])).rejects.toThrow("has no skill pfd; it has charts, pdf");
    await expect(find([`${url}@v9`])).rejects.toThrow("v9");
  });
});

describe("importing", () => {
  const into = () => at("project/.agents/skills");
  const importing = (source: string, force = false) =>
    importSkills(source, { into: into(), force, home: at("home"), env: env(), signal });

  test("copies the skills with their files, without links, and runs no code", async () => {
    const { url, canary } = makeSkillRepository(folder.path);
    const [pdf] = await importing(`${url}:{pdf}`);
    expect(pdf).toMatchObject({ name: "pdf", folder: join(into(), "pdf") });
    expect(readdirSync(into())).toEqual(["pdf"]);
    expect(existsSync(join(into(), "pdf/scripts/run.sh"))).toBe(true);
    expect(await Bun.file(join(into(), "pdf/leak")).text()).toBe("/etc/passwd");
    expect(await readBody(pdf!)).toBe("How to pdf.\n");
    expect(existsSync(canary)).toBe(false);
  });

  test("replaces nothing without force", async () => {
    const { url } = makeSkillRepository(folder.path);
    await importing(`${url}@v1`);
    await expect(importing(url)).rejects.toMatchObject({ code: "conflict", actions: [{ do: "overwrite" }] });
    expect((await importing(url, true)).find(({ name }) => name === "pdf")?.description).toBe(
      "Reads and writes PDF files",
    );
    expect(readdirSync(into()).sort()).toEqual(["charts", "pdf"]);
  });
});
