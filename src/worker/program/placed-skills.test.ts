import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/fixtures/folder.ts";
import { turnSpec } from "../../../test/fixtures/specs.ts";
import { readSkill, type Skill } from "../../skills/skill.ts";
import { placeSkills, skillsToPlace } from "./placed-skills.ts";

async function makeSkill(path: string): Promise<{ skill: Skill; into: string }> {
  const folder = join(path, "care");
  mkdirSync(join(folder, "forms"), { recursive: true });
  const head = '---\nname: marmot-care\ndescription: Says "hello": to marmots.\nallowed-tools: Bash\nhooks: all\n---\n';
  writeFileSync(join(folder, "SKILL.md"), `${head}\nWith clover.\n`);
  writeFileSync(join(folder, "forms/menu.md"), "Clover.");
  const skill = await readSkill(folder, "here");
  if (!skill) throw new Error("it is no skill");
  return { skill, into: join(path, "placed") };
}

test("a skill is copied under its name, with its files and without front matter that a program would obey", async () => {
  await using folder = await temporaryFolder();
  const { skill, into } = await makeSkill(folder.path);
  await placeSkills([skill], into);
  expect(readFileSync(join(into, "marmot-care/SKILL.md"), "utf8")).toBe(
    '---\nname: "marmot-care"\ndescription: "Says \\"hello\\": to marmots."\n---\n\nWith clover.\n',
  );
  expect(readFileSync(join(into, "marmot-care/forms/menu.md"), "utf8")).toBe("Clover.");
});

test("follows a link to a skill, but no links inside it", async () => {
  await using folder = await temporaryFolder();
  const { skill, into } = await makeSkill(folder.path);
  writeFileSync(join(folder.path, "secret"), "secret");
  symlinkSync(join(folder.path, "secret"), join(skill.folder, "secret"));
  const link = join(folder.path, "link");
  symlinkSync(skill.folder, link);
  await placeSkills([{ ...skill, folder: link }], into);
  expect(existsSync(join(into, "marmot-care/forms/menu.md"))).toBe(true);
  expect(existsSync(join(into, "marmot-care/secret"))).toBe(false);
});

test("leaves out a skill that is too large and copies the others", async () => {
  await using folder = await temporaryFolder();
  const { skill, into } = await makeSkill(folder.path);
  const large = join(folder.path, "large");
  mkdirSync(large);
  writeFileSync(join(large, "film"), "");
  truncateSync(join(large, "film"), 17 * 1024 * 1024);
  await placeSkills([skill, { ...skill, name: "large", folder: large }], into);
  expect(existsSync(join(into, "marmot-care/SKILL.md"))).toBe(true);
  expect(existsSync(join(into, "large"))).toBe(false);
});

test.each([
  ["all skills except those that the program finds itself", {}, {}, ["marmot-care"]],
  ["nothing with skills: false", { skills: false as const }, {}, []],
  ["nothing if an approval policy covers the tool skill", { approval: { skill: "ask" as const } }, {}, []],
  ["nothing if the tool skill is mocked", {}, { mocks: { skill: "no" } }, []],
])("copies %s", async (_, agent, more, names) => {
  await using folder = await temporaryFolder();
  const { skill } = await makeSkill(folder.path);
  const spec = turnSpec({ url: "http://127.0.0.1:1/mcp", token: "t" }, agent, more);
  const skills = [skill, { ...skill, name: "found", from: ".claude/skills" }];
  expect(skillsToPlace(spec, skills, [".claude/skills"]).map(({ name }) => name)).toEqual(names);
});
