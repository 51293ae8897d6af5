/**
 * Opens files and folders without leaving a base folder: each is opened relative to its parent, and then the opened file
 * itself is checked, not the path, which could have changed. Everything that confines paths builds on this file.
 */
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { ignore } from "../file-errors.ts";
import { isInside } from "./inside.ts";

/** An open file or folder. `via` is a path to exactly this file: on Linux even after it was moved or replaced. */
export type Opened = { handle: FileHandle; via: string };

/** The opened file or folder is outside the base folder. */
export class OutsideFolder extends Error {}

export type Descent = {
  /** `refuse`: a link fails with ELOOP or ENOTDIR. `inside`: a link can point to another place inside the folder. */
  links: "refuse" | "inside";
  /** Creates missing folders. */
  create: boolean;
};

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY;

export async function openPath(path: string, flags: number): Promise<Opened> {
  const handle = await open(path, flags);
  return { handle, via: process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : path };
}

/** Opens `path` and fails if the result is not inside `base`, which must be a real path. */
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

/** Opens the folder at `parts` below `base`, a real path, part by part. The caller closes it. */
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

/** The base could have been replaced by a link after its real path was resolved. */
async function openBase(base: string, flags: number): Promise<Opened> {
  const opened = await openPath(base, flags);
  const isBase = (await locationOf(opened)) === base;
  if (isBase) return opened;
  await opened.handle.close();
  throw new OutsideFolder(`${base} was replaced by a link`);
}

async function checkInside(base: string, opened: Opened): Promise<void> {
  if (!isInside(base, await locationOf(opened))) throw new OutsideFolder(`a path leads outside ${base}`);
}

function locationOf({ via }: Opened): Promise<string> {
  return process.platform === "linux" ? readlink(via) : realpath(via);
}
