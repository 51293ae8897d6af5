/** Finds the skills that an agent can use: from its sources, then its folder, then the home folder. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { reasonOf } from "../protocol/error.ts";
import { parseSkillSource } from "../protocol/definition/skill-source.ts";
import { type RepositoryCache, openRevision } from "./repository.ts";
import { readSkill, type Skill } from "./skill.ts";

export type FindOptions = {
  /** The agent's `skills`, with absolute paths. False: no skills at all. */
  sources: readonly string[] | false;
  cwd: string;
  /** The user's home folder. */
  home: string | undefined;
  /** Where repositories are cached. Without it, sources that are repositories are skipped. */
  cache?: RepositoryCache;
};

export type Found = {
  skills: Skill[];
  /** Skills in the usual places that cannot be used, and why. */
  problems: string[];
};

/** The usual places, shared with other programs. */
export const skillFolders = [".agents/skills", ".claude/skills"];
const maxSkills = 500;
/** How deep to search a repository, and how many folders to visit. */
const maxDepth = 4;
const maxFolders = 2_000;

/** Throws if a source that the agent names is not available. A broken skill in the usual places is only reported. */
export async function findSkills({ sources, cwd, home, cache }: FindOptions): Promise<Found> {
  if (sources === false) return { skills: [], problems: [] };
  const skills: Skill[] = [];
  const problems: string[] = [];
  // Of two skills with the same name, the first is used.
  const add = (found: Skill[]) => {
    for (const skill of found) if (!skills.some(({ name }) => name === skill.name)) skills.push(skill);
  };
  for (const source of sources) add(await openSource(source, home, cache));
  for (const [base, shown] of [[cwd, ""], ...(home === undefined ? [] : [[home, "~/"]])] as const) {
    for (const folder of skillFolders) {
      add(
        await listSkills(join(base, folder), `${shown}${folder}`, { onProblem: (problem) => problems.push(problem) }),
      );
    }
  }
  return { skills: skills.slice(0, maxSkills), problems };
}

/** All skills of one source, or the ones that the source names. */
export async function openSource(
  source: string,
  home: string | undefined,
  cache: RepositoryCache | undefined,
): Promise<Skill[]> {
  const parsed = parseSkillSource(source);
  if ("problem" in parsed) throw new Error(parsed.problem);
  if (parsed.kind === "folder") {
    const folder = parsed.path.replace(/^~(?=\/|$)/, home ?? "~");
    const found = await listSkills(folder, source, { depth: maxDepth });
    if (found.length === 0) throw new Error(`there is no skill in ${folder}: a skill is a folder with a SKILL.md`);
    return found;
  }
  if (!cache) return [];
  const folder = await openRevision(parsed, cache).catch((error: unknown) => {
    throw new Error(`the skills of ${source} cannot be fetched: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  });
  const found = await listSkills(folder, source, { depth: maxDepth });
  const missing = parsed.names?.find((name) => !found.some((skill) => skill.name === name));
  if (missing !== undefined) {
    const known = found.map(({ name }) => name).join(", ") || "none";
    throw new Error(`${source} has no skill ${missing}; it has ${known}`);
  }
  return parsed.names === null ? found : found.filter(({ name }) => parsed.names?.includes(name));
}

/** The folder itself if it is a skill, otherwise the skills in it. */
async function listSkills(
  start: string,
  from: string,
  { depth: deepest = 1, onProblem }: { depth?: number; onProblem?: (problem: string) => void },
): Promise<Skill[]> {
  const found: Skill[] = [];
  let folders = 0;

  async function visit(folder: string, depth: number): Promise<void> {
    if (++folders > maxFolders) return;
    const skill = await readSkill(folder, from).catch((error: unknown) => {
      if (!onProblem) throw error;
      onProblem(reasonOf(error));
      return null;
    });
    if (skill) return void found.push(skill);
    if (depth === deepest) return;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name === "node_modules" || entry.name === ".git") continue;
      // People link skills into the usual places. Deeper links are ignored: they may form a loop.
      if (entry.isDirectory() || (entry.isSymbolicLink() && depth === 0))
        await visit(join(folder, entry.name), depth + 1);
    }
  }

  await visit(start, 0);
  return found;
}
