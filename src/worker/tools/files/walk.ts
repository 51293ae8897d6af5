/** Walks the files under a folder, in order, without following links. */
import { readdir } from "node:fs/promises";
import { isUnfinished, openFolderInside } from "./confine.ts";
import { isIgnored, readIgnorePatterns, type IgnorePattern } from "./gitignore.ts";
import { readWhole } from "./whole-file.ts";

/** Large and never of interest. */
const skipped = new Set([".git", "node_modules", ".hg", ".svn"]);
/** Total number of entries visited, so that a huge tree ends. */
const maxEntries = 200_000;
const maxDepth = 64;

export type WalkOptions = {
  /** Include files that `.gitignore` excludes. */
  ignored: boolean;
  signal: AbortSignal;
};

/** Yields paths relative to `root`, with `/`. At the limit, stops and calls `onCut`. */
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

/** Skips a folder that disappears or is not readable; the first folder must exist. */
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

/** Undefined if it cannot be read; then it excludes nothing. */
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
