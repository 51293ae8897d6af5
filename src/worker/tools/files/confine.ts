/** Keeps file tools inside one folder, even if symlinks lead out of it or are swapped during the call. */
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, realpath, rename, unlink } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { isInside } from "../../../system/confined/inside.ts";
import {
  type Opened,
  OutsideFolder,
  descend,
  openFolderConfined,
  openConfined,
} from "../../../system/confined/open.ts";
import { ignore } from "../../../system/file-errors.ts";

/** The path is a folder, a pipe or a device. */
export class NotRegularFile extends Error {}

/** Opens a regular file for reading; the caller closes it. */
export function openInside(root: string, path: string): Promise<FileHandle> {
  return explaining(path, async () => {
    const base = await realpath(root);
    // Non-blocking, because opening a FIFO would wait for a writer.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK;
    const { handle } = await openConfined(base, join(base, insidePath(root, base, path)), flags);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    throw new NotRegularFile(`${path} is not a regular file`);
  });
}

/** Opens a folder for listing, with a path to exactly that folder; the caller closes it. */
export function openFolderInside(root: string, path: string): Promise<Opened> {
  return explaining(path, async () => {
    const base = await realpath(root);
    return openFolderConfined(base, join(base, insidePath(root, base, path)));
  });
}

/** Replaces or creates a file by renaming a complete one into place. Creates missing folders. */
export function replaceInside(root: string, path: string, content: string): Promise<void> {
  return explaining(path, async () => {
    const base = await realpath(root);
    const parts = insidePath(root, base, path).split(sep);
    const name = parts.pop();
    if (!name) throw new Error(`${path} is a folder`);
    const folder = await descend(base, parts, { links: "inside", create: true });
    try {
      const target = join(folder.via, name);
      const existing = await lstat(target).catch(ignore("ENOENT"));
      if (existing?.isSymbolicLink()) return await replaceInside(base, await realpath(target), content);
      if (existing && !existing.isFile()) throw new NotRegularFile(`${path} is not a regular file`);
      await replaceFile(folder.via, target, content, existing);
    } finally {
      await folder.handle.close();
    }
  });
}

/** Prefix of a file that is still being written. */
const unfinished = ".agent-worker-";

/** Whether the file is one that a concurrent write has not renamed yet. */
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
    await unlink(temporary).catch(ignore("ENOENT"));
    throw error;
  } finally {
    await file.close();
  }
}

/** The path relative to the folder. Accepts relative and absolute paths, through symlinks or not. */
function insidePath(root: string, base: string, path: string): string {
  if (path.includes("\0")) throw new Error("a path cannot contain a NUL character");
  const asked = isAbsolute(path) ? resolve(path) : resolve(base, path);
  const folder = [base, resolve(root)].find((candidate) => isInside(candidate, asked));
  if (folder === undefined) throw outside(path);
  return relative(folder, asked);
}

function outside(path: string): Error {
  return new Error(`${path} is outside the working folder; use paths inside it`);
}

const explanations: Record<string, string> = {
  ENOENT: "does not exist",
  EACCES: "cannot be accessed: permission denied",
  EPERM: "cannot be accessed: permission denied",
  EISDIR: "is a folder",
  ENOTDIR: "has a parent that is not a folder",
  ELOOP: "is a loop of symbolic links",
  ENAMETOOLONG: "has a name that is too long",
  ENXIO: "is not a regular file",
  ENOSPC: "could not be written: the disk is full",
  EROFS: "could not be written: the file system is read-only",
};

async function explaining<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OutsideFolder) throw outside(path);
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const explanation = explanations[code];
    if (explanation === undefined) throw error;
    throw new Error(`${path} ${explanation}`, { cause: error });
  }
}
