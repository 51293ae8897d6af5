/** What a path means to approval rules: the file that it leads to, whatever links say, beside the path as it was said. */
import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { isInside } from "../../system/confined/inside.ts";
import type { Subject } from "../../workflow/approval-rules.ts";

/** As the system itself has it; longer paths lead nowhere. */
const pathChars = 4_096;
const maxLinks = 40;

/** Each path from the folder, where it lies inside, and from the root. */
export async function pathSubject(folder: string, path: string): Promise<Subject & { isInside: boolean }> {
  const said = resolve(folder, path);
  const [here, there] = [await resolveLinks(resolve(folder)), await resolveLinks(said)];
  return { is: spellings(here, there), said: spellings(resolve(folder), said), isInside: isInside(here, there) };
}

function spellings(folder: string, path: string): string[] {
  return isInside(folder, path) ? [relative(folder, path) || ".", path] : [path];
}

/** Where a path leads; what does not exist yet lies in the folder that would hold it, also behind a link to nothing. */
async function resolveLinks(path: string, links = maxLinks): Promise<string> {
  if (path.length > pathChars) return path;
  const existing = await realpath(path).catch(() => undefined);
  const parent = dirname(path);
  if (existing !== undefined || parent === path) return existing ?? path;
  const folder = await resolveLinks(parent, links);
  const target = links > 0 ? await readlink(path).catch(() => undefined) : undefined;
  return target === undefined ? join(folder, basename(path)) : resolveLinks(resolve(folder, target), links - 1);
}
