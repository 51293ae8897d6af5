/**
 * A home folder of one turn, for a program that looks for skills in the home folder and nowhere else: links to all that
 * is in the user's, and beside the user's skills those of the agent. It is not in the temporary folder, where a sandboxed
 * command may write, and thereby change what is run outside of the sandbox.
 */
import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { processStartTime } from "../../system/process.ts";
import type { Skill } from "../../skills/skill.ts";
import { placeSkills } from "./placed-skills.ts";

export type LinkedHome = AsyncDisposable & { path: string };

/** A home has far fewer; what comes after them is not linked. */
const maxEntries = 5_000;
const skillsFolder = [".agents", "skills"];

/** Links to `home`, made inside `parent`, where what a crash left behind is removed first. */
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

/** Those of processes that are no more. */
async function removeLeftovers(parent: string): Promise<void> {
  const left = (await readdir(parent)).filter((name) => {
    const [pid, startTime] = name.split(".");
    return processStartTime(Number(pid)) !== startTime;
  });
  // Turns side by side may be at the same one.
  await Promise.allSettled(left.map((name) => rm(join(parent, name), { recursive: true, force: true })));
}
