/** A path as the approval policy sees it: the file that it resolves to through symlinks, and the path as written. */
import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { isInside } from "../../system/confined/inside.ts";
import type { Subject } from "../../workflow/approval-policy.ts";

/** The limits of the operating system. A longer path cannot be opened. */
const pathChars = 4_096;
const maxLinks = 40;

/** Gives each path relative to the folder, if it is inside, and absolute. */
export async function pathSubject(folder: string, path: string): Promise<Subject & { isInside: boolean }> {
  const given = resolve(folder, path);
  const [here, there] = [await resolveLinks(resolve(folder)), await resolveLinks(given)];
  return {
    resolved: spellings(here, there),
    asGiven: spellings(resolve(folder), given),
    isInside: isInside(here, there),
  };
}

function spellings(folder: string, path: string): string[] {
  return isInside(folder, path) ? [relative(folder, path) || ".", path] : [path];
}

/** Resolves symlinks: for a path that does not exist yet, those of its parent folder and of a dangling link. */
async function resolveLinks(path: string, links = maxLinks): Promise<string> {
  if (path.length > pathChars) return path;
  const existing = await realpath(path).catch(() => undefined);
  const parent = dirname(path);
  if (existing !== undefined || parent === path) return existing ?? path;
  const folder = await resolveLinks(parent, links);
  const target = links > 0 ? await readlink(path).catch(() => undefined) : undefined;
  return target === undefined ? join(folder, basename(path)) : resolveLinks(resolve(folder, target), links - 1);
}
