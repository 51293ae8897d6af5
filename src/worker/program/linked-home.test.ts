import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/fixtures/folder.ts";
import { openLinkedHome } from "./linked-home.ts";

/** A home with a file, a folder and a skill of the user, and a skill of the agent next to it. */
function furnish(path: string) {
  const home = join(path, "home");
  const write = (name: string, text: string) => {
    mkdirSync(join(path, name, ".."), { recursive: true });
    writeFileSync(join(path, name), text);
  };
  write("home/.profile", "profile");
  write("home/.config/any.json", "{}");
  write("home/.agents/notes.md", "notes");
  write("home/.agents/skills/mine/SKILL.md", "mine");
  write("care/SKILL.md", "---\nname: care\ndescription: Cares.\n---\nBody.\n");
  const skill = { name: "care", description: "Cares.", folder: join(path, "care"), from: "here" };
  return { home, skill, parent: join(path, "homes") };
}

test("contains everything in the user's home, and the agent's skills next to the user's", async () => {
  await using folder = await temporaryFolder();
  const { home, skill, parent } = furnish(folder.path);
  await using linked = await openLinkedHome(home, [skill], parent);
  const read = (name: string) => readFileSync(join(linked.path, name), "utf8");
  expect(read(".profile")).toBe("profile");
  expect(read(".agents/notes.md")).toBe("notes");
  expect(read(".agents/skills/mine/SKILL.md")).toBe("mine");
  expect(read(".agents/skills/care/SKILL.md")).toContain("Body.");
  writeFileSync(join(linked.path, ".config/any.json"), "changed");
  expect(readFileSync(join(home, ".config/any.json"), "utf8")).toBe("changed");
  expect(existsSync(join(home, ".agents/skills/care"))).toBe(false);
});

test("closing it does not change the user's home", async () => {
  await using folder = await temporaryFolder();
  const { home, skill, parent } = furnish(folder.path);
  const before = readdirSync(home, { recursive: true }).sort();
  const linked = await openLinkedHome(home, [skill], parent);
  await linked[Symbol.asyncDispose]();
  expect(readdirSync(home, { recursive: true }).sort()).toEqual(before);
  expect(readdirSync(parent)).toEqual([]);
});

test("adds skills to a home without any, and removes what a crash left", async () => {
  await using folder = await temporaryFolder();
  const { skill, parent } = furnish(folder.path);
  mkdirSync(join(parent, "999999999.1.abcdef"), { recursive: true });
  await using linked = await openLinkedHome(join(folder.path, "nowhere"), [skill], parent);
  await using concurrent = await openLinkedHome(join(folder.path, "nowhere"), [skill], parent);
  expect(readdirSync(join(linked.path, ".agents/skills"))).toEqual(["care"]);
  expect(readdirSync(parent).sort()).toEqual(
    [linked, concurrent].map(({ path }) => path.slice(parent.length + 1)).sort(),
  );
});
