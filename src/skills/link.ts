/** Puts skills where a program that plays an agent looks for them: as links in a folder that it is told of. */
import { mkdir, readlink, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { BackendName } from "../protocol/backend-name.ts";
import type { Skill } from "./skill.ts";

/** Under the folder that the program works in, or is given besides. */
export const skillFolderOf: Partial<Record<BackendName, string>> = {
  claude: ".claude/skills",
  codex: ".agents/skills",
  opencode: ".opencode/skills",
  cursor: ".cursor/skills",
};

/**
 * Links the skills under `root`, a folder of this turn alone, and gives the folder that holds them; null for a backend
 * that knows no skills. Links that are already there stay, so that a second attempt finds its work done.
 */
export async function linkSkills(skills: Skill[], backend: BackendName, root: string): Promise<string | null> {
  const place = skillFolderOf[backend];
  if (place === undefined) return null;
  const folder = join(root, place);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const skill of skills) await link(skill, folder);
  return folder;
}

async function link(skill: Skill, folder: string): Promise<void> {
  const path = join(folder, skill.name);
  try {
    await symlink(skill.folder, path, "dir");
  } catch (error) {
    const target = await readlink(path).catch(() => null);
    if (target !== skill.folder) throw error;
  }
}
