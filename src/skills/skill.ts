/** A skill: a folder with a SKILL.md. An agent sees its name and description, and loads the rest when needed. */
import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { KiB } from "../protocol/limits.ts";
import { readFrontMatter } from "./front-matter.ts";

export type Skill = {
  name: string;
  description: string;
  folder: string;
  /** The place or source where it was found, as people write it. */
  from: string;
};

export const skillFile = "SKILL.md";
const skillFileBytes = 256 * KiB;
const skillName = /^[a-zA-Z0-9][\w.-]{0,63}$/;

/** Null if the folder is not a skill; throws if the skill is invalid. Runs none of its code. */
export async function readSkill(folder: string, from: string): Promise<Skill | null> {
  const text = await readSkillFile(folder);
  if (text === null) return null;
  const { fields } = readFrontMatter(text);
  const name = fields.name ?? basename(folder);
  const { description } = fields;
  const path = join(folder, skillFile);
  if (!skillName.test(name))
    throw new Error(`${path} has an invalid skill name '${name}': use letters, digits, . _ and -`);
  if (!description) throw new Error(`${path} has no description: start it with --- name: … description: … ---`);
  return { name, description, folder, from };
}

/** The skill's instructions, without front matter. */
export async function readBody({ folder, name }: Skill): Promise<string> {
  const text = await readSkillFile(folder);
  if (text === null) throw new Error(`the skill ${name} no longer exists: there is no ${join(folder, skillFile)}`);
  return readFrontMatter(text).body;
}

/** Null if there is none, or if it is a link that leads out of the folder. */
async function readSkillFile(folder: string): Promise<string | null> {
  const path = join(folder, skillFile);
  const file = await stat(path).catch(() => null);
  if (!file?.isFile()) return null;
  if (dirname(await realpath(path)) !== (await realpath(folder))) return null;
  if (file.size > skillFileBytes) throw new Error(`${path} is larger than ${skillFileBytes / KiB} KiB`);
  return readFile(path, "utf8");
}
