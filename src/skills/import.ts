/** Copies skills from a repository or a folder to where agents look for them. */
import { cp, lstat, mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError, reasonOf } from "../protocol/error.ts";
import { openSource } from "./find.ts";
import type { Skill } from "./skill.ts";

export type ImportOptions = {
  into: string;
  /** Replaces skills of the same names. */
  force: boolean;
  home: string | undefined;
  env: Record<string, string | undefined>;
  signal: AbortSignal;
};

/** The skills as they now lie in `into`. All or none are copied when one of them is already there. */
export async function importSkills(source: string, options: ImportOptions): Promise<Skill[]> {
  const { into, force, home, env, signal } = options;
  await mkdir(into, { recursive: true });
  const workshop = await mkdtemp(join(into, ".importing-"));
  try {
    const cache = { folder: join(workshop, "repository"), env, signal };
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
    for (const skill of skills) placed.push(await place(skill, into, workshop));
    return placed;
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

async function place(skill: Skill, into: string, workshop: string): Promise<Skill> {
  const copy = join(workshop, skill.name);
  await mkdir(dirname(copy), { recursive: true });
  // Links would point anywhere, and other kinds of files are no part of a skill.
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
