/** Goes through the files under a folder, in order, without following links and without leaving it. */
import { readdir } from "node:fs/promises";
import { isUnfinished, openFolderInside } from "./confine.ts";
import { isIgnored, readIgnorePatterns, type IgnorePattern } from "./gitignore.ts";
import { readWhole } from "./whole-file.ts";

/** Never of interest, and large. */
const skipped = new Set([".git", "node_modules", ".hg", ".svn"]);
/** Entries looked at in all, so that a huge tree ends. */
const maxEntries = 200_000;
const maxDepth = 64;

export type WalkOptions = {
  /** Also what `.gitignore` files leave out. */
  ignored: boolean;
  signal: AbortSignal;
};

/** Paths relative to `root`, with `/`. Ends early, and says so by `onCut`, when there is more than anybody wants. */
export async function* walkFiles(
  root: string,
  start: string,
  options: WalkOptions & { onCut(): void },
): AsyncGenerator<string> {
  let entries = 0;

  async function* visit(folder: string, above: IgnorePattern[], depth: number): AsyncGenerator<string> {
    options.signal.throwIfAborted();
    const listing = await list(root, folder, depth === 0);
    const patterns = listing.ignore === undefined ? above : [...above, ...readIgnorePatterns(listing.ignore, folder)];
    for (const entry of listing.entries) {
      if (++entries > maxEntries) return options.onCut();
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (skipped.has(entry.name) || isUnfinished(entry.name)) continue;
      if (!options.ignored && isIgnored(patterns, path, entry.isDirectory())) continue;
      if (entry.isFile()) yield path;
      else if (entry.isDirectory() && depth < maxDepth) yield* visit(path, patterns, depth + 1);
    }
  }

  yield* visit(start, [], 0);
}

type Listing = { entries: { name: string; isFile(): boolean; isDirectory(): boolean }[]; ignore?: string | undefined };

/** A folder that goes away or may not be read during the walk is passed over; the first one has to be there. */
async function list(root: string, path: string, isFirst: boolean): Promise<Listing> {
  try {
    const folder = await openFolderInside(root, path === "" ? "." : path);
    try {
      const entries = await readdir(folder.via, { withFileTypes: true });
      const hasIgnoreFile = entries.some((entry) => entry.name === ".gitignore" && entry.isFile());
      const ignore = hasIgnoreFile
        ? await readIgnoreFile(root, path === "" ? ".gitignore" : `${path}/.gitignore`)
        : undefined;
      return { entries: entries.sort(byName), ignore };
    } finally {
      await folder.handle.close();
    }
  } catch (error) {
    if (isFirst) throw error;
    return { entries: [] };
  }
}

/** Undefined when it cannot be read: then it ignores nothing. */
async function readIgnoreFile(root: string, path: string): Promise<string | undefined> {
  try {
    return (await readWhole(root, path)).toString("utf8");
  } catch {
    return undefined;
  }
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}
