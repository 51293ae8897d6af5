/** A skill: a folder with a SKILL.md, of which an agent is told name and description, and reads the rest when it needs it. */
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

/** Null when the folder is no skill; throws when it is a broken one. Runs nothing of it. */
export async function readSkill(folder: string, from: string): Promise<Skill | null> {
  const text = await readSkillFile(folder);
  if (text === null) return null;
  const { fields } = readFrontMatter(text);
  const name = fields.name ?? basename(folder);
  const { description } = fields;
  const path = join(folder, skillFile);
  if (!skillName.test(name)) throw new Error(`${path}: '${name}' cannot name a skill; use letters, digits, . _ and -`);
  if (!description) throw new Error(`${path} has no description: begin it with --- name: … description: … ---`);
  return { name, description, folder, from };
}

/** What the skill says, without its front matter. */
export async function readBody({ folder, name }: Skill): Promise<string> {
  const text = await readSkillFile(folder);
  if (text === null) throw new Error(`the skill ${name} is gone: there is no ${join(folder, skillFile)}`);
  return readFrontMatter(text).body;
}

/** Null when there is none. A link that leads out of the folder is none either. */
async function readSkillFile(folder: string): Promise<string | null> {
  const path = join(folder, skillFile);
  const file = await stat(path).catch(() => null);
  if (!file?.isFile()) return null;
  if (dirname(await realpath(path)) !== (await realpath(folder))) return null;
  if (file.size > skillFileBytes) throw new Error(`${path} has more than ${skillFileBytes / KiB} KiB`);
  return readFile(path, "utf8");
}
