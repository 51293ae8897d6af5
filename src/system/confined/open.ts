/**
 * Opens files and folders so that they stay inside one folder: each is opened from the one above it and then checked by
 * what was opened, not by what its path meant a moment ago. Everything that confines paths is built on this file.
 */
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { ignore } from "../file-errors.ts";
import { isInside } from "./inside.ts";

/** An open file or folder. `via` is a path to exactly that: on Linux also after it was moved or replaced. */
export type Opened = { handle: FileHandle; via: string };

/** What was opened lies outside of its folder. */
export class OutsideFolder extends Error {}

export type Descent = {
  /** `refuse`: a link fails with ELOOP or ENOTDIR. `inside`: it may lead to another place inside the folder. */
  links: "refuse" | "inside";
  /** Creates folders that are missing. */
  create: boolean;
};

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY;

export async function openPath(path: string, flags: number): Promise<Opened> {
  const handle = await open(path, flags);
  return { handle, via: process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : path };
}

/** Opens `path` and refuses what does not lie inside `base`, a real path. */
export async function openConfined(base: string, path: string, flags: number): Promise<Opened> {
  const opened = await openPath(path, flags);
  try {
    await checkInside(base, opened);
    return opened;
  } catch (error) {
    await opened.handle.close();
    throw error;
  }
}

export function openFolderConfined(base: string, path: string): Promise<Opened> {
  return openConfined(base, path, folderFlags);
}

/** Opens the folder `parts` below `base`, a real path, one by one. The caller closes it. */
export async function descend(base: string, parts: string[], { links, create }: Descent): Promise<Opened> {
  const flags = links === "refuse" ? folderFlags | constants.O_NOFOLLOW : folderFlags;
  let folder = await openBase(base, flags);
  for (const part of parts) {
    const above = folder;
    const below = join(above.via, part);
    try {
      if (create) await mkdir(below).catch(ignore("EEXIST"));
      folder = links === "refuse" ? await openPath(below, flags) : await openConfined(base, below, flags);
    } finally {
      await above.handle.close();
    }
  }
  return folder;
}

/** Somebody may have put a link in its place since its real path was found. */
async function openBase(base: string, flags: number): Promise<Opened> {
  const opened = await openPath(base, flags);
  const isBase = (await locationOf(opened)) === base;
  if (isBase) return opened;
  await opened.handle.close();
  throw new OutsideFolder(`${base} was replaced by a link`);
}

async function checkInside(base: string, opened: Opened): Promise<void> {
  if (!isInside(base, await locationOf(opened))) throw new OutsideFolder(`a path led out of ${base}`);
}

function locationOf({ via }: Opened): Promise<string> {
  return process.platform === "linux" ? readlink(via) : realpath(via);
}
