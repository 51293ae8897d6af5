/**
 * Copies an agent's skills into a folder for one turn, for programs that look for skills in folders. Copies, because
 * programs resolve links and then refuse files outside their own folder. An agent's changes to the copies are lost
 * after the turn.
 */
import { cp, lstat, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MiB } from "../../protocol/limits.ts";
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";
import { readBody, type Skill, skillFile } from "../../skills/skill.ts";

/** A larger skill is not copied; the tool `skill` can still load it. */
const skillBytes = 16 * MiB;
const skillEntries = 1_000;

/**
 * Whether the program may use skills itself. An approval policy and mocks apply to our tool `skill`, and the program's
 * own skills would bypass them.
 */
export function mayPlaceSkills({ definition, mocks = {} }: TurnSpec): boolean {
  return definition.skills !== false && definition.approval === undefined && !Object.hasOwn(mocks, "skill");
}

/** The skills to copy: allowed in this turn and not in a usual place that the program searches itself. */
export function skillsToPlace(spec: TurnSpec, skills: Skill[], searchedFolders: readonly string[]): Skill[] {
  return mayPlaceSkills(spec) ? skills.filter(({ from }) => !searchedFolders.includes(from)) : [];
}

/** Copies each skill to `folder/<name>`. Leaves out one that cannot be copied; the tool `skill` can still load it. */
export async function placeSkills(skills: Skill[], folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await Promise.all(
    skills.map(async (skill) => {
      const place = join(folder, skill.name);
      await placeSkill(skill, place).catch(() => rm(place, { recursive: true, force: true }));
    }),
  );
}

async function placeSkill(skill: Skill, place: string): Promise<void> {
  let [bytes, entries] = [0, 0];
  const filter = async (path: string): Promise<boolean> => {
    const file = await lstat(path);
    bytes += file.size;
    if (bytes > skillBytes || ++entries > skillEntries) throw new Error(`the skill ${skill.name} is too large`);
    return file.isFile() || file.isDirectory() || path === skill.folder;
  };
  await cp(skill.folder, place, { recursive: true, filter, dereference: true });
  // The program would obey any other field of the front matter, such as a list of allowed tools.
  const head = `---\nname: ${JSON.stringify(skill.name)}\ndescription: ${JSON.stringify(skill.description)}\n---\n`;
  await writeFile(join(place, skillFile), `${head}\n${(await readBody(skill)).trimStart()}`);
}
