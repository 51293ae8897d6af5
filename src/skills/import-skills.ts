/** Copies skills from a repository or a folder into a folder where agents look for them. */
import { cp, lstat, mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError, reasonOf } from "../protocol/error.ts";
import { openSource } from "./find-skills.ts";
import type { Skill } from "./skill.ts";

export type ImportOptions = {
  into: string;
  /** Replaces skills with the same names. */
  force: boolean;
  home: string | undefined;
  env: Record<string, string | undefined>;
  signal: AbortSignal;
};

/** Returns the copied skills. Without `force`, copies none if one of them already exists. */
export async function importSkills(source: string, options: ImportOptions): Promise<Skill[]> {
  const { into, force, home, env, signal } = options;
  await mkdir(into, { recursive: true });
  const staging = await mkdtemp(join(into, ".importing-"));
  try {
    const cache = { folder: join(staging, "repository"), env, signal };
    const skills = await openSource(source, home, cache).catch((error: unknown) => {
      throw new AppError("usage", reasonOf(error), { cause: error });
    });
    for (const { name } of force ? [] : skills) {
      if (await stat(join(into, name)).catch(() => null)) {
        throw new AppError("conflict", `there is already a skill ${name} in ${into}`, {
          actions: [{ do: "overwrite" }],
        });
      }
    }
    const placed: Skill[] = [];
    for (const skill of skills) placed.push(await place(skill, into, staging));
    return placed;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function place(skill: Skill, into: string, staging: string): Promise<Skill> {
  // In a folder of its own: a skill can be named like the folder of the repository.
  const copy = join(staging, "skills", skill.name);
  await mkdir(dirname(copy), { recursive: true });
  // Skip links, which could point anywhere, and special files.
  const filter = async (path: string) => {
    const file = await lstat(path);
    return file.isFile() || file.isDirectory();
  };
  await cp(skill.folder, copy, { recursive: true, filter });
  const folder = join(into, skill.name);
  await rm(folder, { recursive: true, force: true });
  await rename(copy, folder);
  return { ...skill, folder };
}
