/** Keeps file tools inside one folder, whatever symlinks say and whoever swaps them meanwhile. */
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readlink, realpath, rename, unlink } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";

/** What a path leads to is a folder, a pipe or a device. */
export class NoRegularFile extends Error {}

/** Opens a regular file for reading; the caller closes it. */
export function openInside(root: string, path: string): Promise<FileHandle> {
  return explaining(path, async () => {
    const base = await realpath(root);
    // Not blocking, because opening a FIFO would wait for a writer.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK;
    const file = await openAt(join(base, insidePath(root, base, path)), flags);
    try {
      await checkLocation(base, file, path);
      if (!(await file.handle.stat()).isFile()) throw new NoRegularFile(`${path} is not a regular file`);
      return file.handle;
    } catch (error) {
      await file.handle.close();
      throw error;
    }
  });
}

/** Opens a folder for listing, by a path that leads to exactly that; the caller closes it. */
export function openFolderInside(root: string, path: string): Promise<Opened> {
  return explaining(path, async () => {
    const base = await realpath(root);
    const folder = await openAt(join(base, insidePath(root, base, path)), folderFlags);
    try {
      await checkLocation(base, folder, path);
      return folder;
    } catch (error) {
      await folder.handle.close();
      throw error;
    }
  });
}

/** Replaces or creates a file by renaming a finished one into place; missing folders are made. */
export function replaceInside(root: string, path: string, content: string): Promise<void> {
  return explaining(path, async () => {
    const base = await realpath(root);
    const parts = insidePath(root, base, path).split(sep);
    const name = parts.pop();
    if (!name) throw new Error(`${path} is a folder`);
    const folder = await openFolder(base, parts, path);
    try {
      const target = join(folder.via, name);
      const existing = await lstat(target).catch(ignoreMissing);
      if (existing?.isSymbolicLink()) return await replaceInside(base, await realpath(target), content);
      if (existing && !existing.isFile()) throw new NoRegularFile(`${path} is not a regular file`);
      await replaceFile(folder.via, target, content, existing);
    } finally {
      await folder.handle.close();
    }
  });
}

/** The name of a file that is still being written. */
const unfinished = ".agent-worker-";

/** Whether a file is one that a write beside this one has not put in its place yet. */
export function isUnfinished(name: string): boolean {
  return name.startsWith(unfinished);
}

async function replaceFile(folder: string, target: string, content: string, existing: Stats | null): Promise<void> {
  const temporary = join(folder, `${unfinished}${crypto.randomUUID()}`);
  const file = await open(temporary, "wx", 0o666);
  try {
    await file.writeFile(content);
    if (existing) await file.chmod(existing.mode & 0o777);
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(ignoreMissing);
    throw error;
  } finally {
    await file.close();
  }
}

/** Something open, and a path that leads to exactly that: on Linux also after it was moved or replaced. */
export type Opened = { handle: FileHandle; via: string };

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY;

/** Walks down folder by folder, each opened from the one above it, so that nothing is made outside even in a race. */
async function openFolder(base: string, parts: string[], path: string): Promise<Opened> {
  let folder = await openAt(base, folderFlags);
  for (const part of parts) {
    const above = folder;
    try {
      folder = await openOrMake(join(above.via, part));
    } finally {
      await above.handle.close();
    }
    try {
      await checkLocation(base, folder, path);
    } catch (error) {
      await folder.handle.close();
      throw error;
    }
  }
  return folder;
}

async function openOrMake(path: string): Promise<Opened> {
  const existing = await openAt(path, folderFlags).catch(ignoreMissing);
  if (existing) return existing;
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  return openAt(path, folderFlags);
}

async function openAt(path: string, flags: number): Promise<Opened> {
  const handle = await open(path, flags);
  return { handle, via: process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : path };
}

/** Judges what was opened, not what its path meant a moment ago. */
async function checkLocation(base: string, { via }: Opened, path: string): Promise<void> {
  const location = process.platform === "linux" ? await readlink(via) : await realpath(via);
  if (!isInside(base, location)) throw outside(path);
}

/** The path relative to the folder; it may be written with or without the folder, resolved or not. */
function insidePath(root: string, base: string, path: string): string {
  if (path.includes("\0")) throw new Error("a path cannot contain a NUL character");
  const asked = isAbsolute(path) ? resolve(path) : resolve(base, path);
  const folder = [base, resolve(root)].find((candidate) => isInside(candidate, asked));
  if (folder === undefined) throw outside(path);
  return relative(folder, asked);
}

function isInside(base: string, path: string): boolean {
  return path === base || path.startsWith(base.endsWith(sep) ? base : base + sep);
}

function outside(path: string): Error {
  return new Error(`${path} is outside the working folder; use paths inside it`);
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}

const explanations: Record<string, string> = {
  ENOENT: "does not exist",
  EACCES: "may not be accessed",
  EPERM: "may not be accessed",
  EISDIR: "is a folder",
  ENOTDIR: "lies under something that is not a folder",
  ELOOP: "is a loop of links",
  ENAMETOOLONG: "is too long a name",
  ENXIO: "is not a regular file",
  ENOSPC: "could not be written: the disk is full",
  EROFS: "could not be written: the file system is read-only",
};

async function explaining<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const explanation = explanations[code];
    if (explanation === undefined) throw error;
    throw new Error(`${path} ${explanation}`, { cause: error });
  }
}
