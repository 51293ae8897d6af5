/** A path as an approval policy sees it: the file that it resolves to, links included, and the path as given. */
import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { isInside } from "../../system/confined/inside.ts";
import type { Subject } from "../../workflow/approval-policy.ts";

/** As the system itself has it; longer paths lead nowhere. */
const pathChars = 4_096;
const mostLinks = 40;

/** Each path from the folder, where it lies inside, and from the root. */
export async function pathSubject(folder: string, path: string): Promise<Subject & { isInside: boolean }> {
  const given = resolve(folder, path);
  const [here, there] = [await follow(resolve(folder)), await follow(given)];
  return { resolved: ways(here, there), asGiven: ways(resolve(folder), given), isInside: isInside(here, there) };
}

function ways(folder: string, path: string): string[] {
  return isInside(folder, path) ? [relative(folder, path) || ".", path] : [path];
}

/** Where a path leads; what does not exist yet lies in the folder that would hold it, also behind a link to nothing. */
async function follow(path: string, links = mostLinks): Promise<string> {
  if (path.length > pathChars) return path;
  const existing = await realpath(path).catch(() => undefined);
  const parent = dirname(path);
  if (existing !== undefined || parent === path) return existing ?? path;
  const folder = await follow(parent, links);
  const target = links > 0 ? await readlink(path).catch(() => undefined) : undefined;
  return target === undefined ? join(folder, basename(path)) : follow(resolve(folder, target), links - 1);
}
