/**
 * An agent's skills as folders of one turn, for programs that look for skills in folders. Copies, since programs follow a
 * link and then refuse what lies outside their own folder; what an agent changes in them is gone with the turn.
 */
import { cp, lstat, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MiB } from "../../protocol/limits.ts";
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";
import { readBody, type Skill, skillFile } from "../../skills/skill.ts";

/** More than that is no text to work by: such a skill is left to the tool `skill`. */
const skillBytes = 16 * MiB;
const skillEntries = 1_000;

/**
 * Whether the program may know of skills at all. An approval policy and mocks apply to our tool `skill`; a skill that
 * the program loads itself would bypass them.
 */
export function mayPlaceSkills({ definition, mocks = {} }: TurnSpec): boolean {
  return definition.skills !== false && definition.approval === undefined && !Object.hasOwn(mocks, "skill");
}

/** Those that this turn may place and the program does not find by itself, in the usual places that it looks at. */
export function skillsToPlace(spec: TurnSpec, skills: Skill[], looksAt: readonly string[]): Skill[] {
  return mayPlaceSkills(spec) ? skills.filter(({ from }) => !looksAt.includes(from)) : [];
}

/** Makes `folder/<name>` of each; one that cannot be copied is left out, for the tool `skill` has it still. */
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
  // Whatever else its head says, such as the tools that it allows itself, the program would obey.
  const head = `---\nname: ${JSON.stringify(skill.name)}\ndescription: ${JSON.stringify(skill.description)}\n---\n`;
  await writeFile(join(place, skillFile), `${head}\n${(await readBody(skill)).trimStart()}`);
}
