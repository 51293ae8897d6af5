/**
 * A home folder for one turn, for programs that look for skills only in the home folder. It links to everything in the
 * user's home and adds the agent's skills to the user's. It is not inside the temporary folder: a sandboxed command can
 * write there, and could change what runs outside the sandbox.
 */
import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { processStartTime } from "../../system/process.ts";
import type { Skill } from "../../skills/skill.ts";
import { placeSkills } from "./placed-skills.ts";

export type LinkedHome = AsyncDisposable & { path: string };

/** Far more than a home contains; further entries are not linked. */
const maxEntries = 5_000;
const skillsFolder = [".agents", "skills"];

/** Links to `home` from a new folder inside `parent`. First removes what a crash left in `parent`. */
export async function openLinkedHome(home: string, skills: Skill[], parent: string): Promise<LinkedHome> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await removeLeftovers(parent);
  const path = await mkdtemp(join(parent, `${process.pid}.${processStartTime(process.pid)}.`));
  const close = () => rm(path, { recursive: true, force: true });
  try {
    let [from, to] = [home, path];
    for (const name of skillsFolder) {
      await linkEntries(from, to, [name]);
      [from, to] = [join(from, name), join(to, name)];
      await mkdir(to);
    }
    await placeSkills(skills, to);
    await linkEntries(
      from,
      to,
      skills.map(({ name }) => name),
    );
  } catch (error) {
    await close();
    throw error;
  }
  return { path, [Symbol.asyncDispose]: close };
}

async function linkEntries(from: string, to: string, except: string[]): Promise<void> {
  const names = await readdir(from).catch(() => []);
  const linked = names.filter((name) => !except.includes(name)).slice(0, maxEntries);
  await Promise.all(linked.map((name) => symlink(join(from, name), join(to, name))));
}

/** Removes the folders of processes that no longer exist. */
async function removeLeftovers(parent: string): Promise<void> {
  const left = (await readdir(parent)).filter((name) => {
    const [pid, startTime] = name.split(".");
    return processStartTime(Number(pid)) !== startTime;
  });
  // Concurrent turns may remove the same folder.
  await Promise.allSettled(left.map((name) => rm(join(parent, name), { recursive: true, force: true })));
}
