/** The documents' folder on disk: read, replaced and listed without ever leaving it, whatever links say or become meanwhile. */
import { constants, type Dirent } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, realpath, rename, unlink } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { documentNameProblem } from "../../protocol/document-name.ts";
import { AppError } from "../../protocol/error.ts";
import { documentsPerWorkflow } from "../../protocol/limits.ts";
import { type Opened, OutsideFolder, descend } from "../../system/confined/open.ts";
import { isInside, realFolderAbove } from "../../system/confined/inside.ts";
import { ignore } from "../../system/file-errors.ts";
import { explained } from "./explain-file-errors.ts";
import {
  type FileContent,
  type Placed,
  exchange,
  leftover,
  modeOf,
  newName,
  readContent,
  readKept,
  release,
  writeCopy,
  writeWhole,
} from "./files.ts";

/**
 * Content on its way to the disk, beside the file it is for. `close` has to be called, placed or not. Here and below,
 * `expected` is the hash of what the file is thought to hold, null for no file.
 */
export type Staged = { place(expected: string | null): Promise<Placed>; close(): Promise<void> };

export type Folder = {
  /** The name a document has once links are followed; throws when it leads outside. */
  locate(file: string): Promise<string>;
  /** Null when there is no such file. */
  read(file: string): Promise<FileContent | null>;
  stage(file: string, content: string): Promise<Staged>;
  remove(file: string, expected: string | null): Promise<Placed>;
  list(): Promise<string[]>;
  /** Puts content in a file's place at once, whatever it held; for what is only a copy and may be written again. */
  replace(file: string, content: string): Promise<void>;
  /** A file to be read and written at any place, made when it is missing. */
  open(file: string): Promise<FileHandle>;
  /** Clears away what a crash left. A file that was being replaced is put back unless what it holds is known otherwise. */
  sweep(isKnown: (file: string, hash: string) => Promise<boolean>): Promise<void>;
};

/** Not blocking, because opening a pipe would wait for its other end. */
const sharedFlags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** `path` lies inside `project`, and has to when links are followed. It is made when the first document is. */
export function createFolder(project: string, path: string): Folder {
  /** The real path; null when it does not exist. */
  async function base(): Promise<string | null> {
    const [home, real] = await Promise.all([realOrNull(project), realOrNull(path)]);
    // Not the same as documents that were deleted: a disk may only be away for a while.
    if (home === null) throw new AppError("failed", `the project's folder ${project} is gone`);
    if (real !== null && !isInside(home, real)) throw strayed(path);
    return real;
  }

  async function makeBase(): Promise<string> {
    const existing = await base();
    if (existing !== null) return existing;
    if (!isInside(await realpath(project), realFolderAbove(path))) throw strayed(path);
    await mkdir(path, { recursive: true });
    return (await base()) ?? path;
  }

  /** The folder that a document lies in, opened without following any link; null when it is not there. */
  async function openParent(root: string, parts: string[], create: boolean): Promise<Opened | null> {
    try {
      return await descend(root, parts, { links: "refuse", create });
    } catch (error) {
      if (error instanceof OutsideFolder) throw strayed(path);
      return ignore("ENOENT")(error);
    }
  }

  async function within<Result>(
    file: string,
    make: boolean,
    work: (folder: Opened, name: string) => Promise<Result>,
  ): Promise<Result | null> {
    const root = make ? await makeBase() : await base();
    if (root === null) return null;
    const parts = file.split("/");
    const name = parts.pop() ?? file;
    const folder = await openParent(root, parts, make);
    if (!folder) return null;
    try {
      return await work(folder, name);
    } finally {
      release(folder.handle);
    }
  }

  return {
    locate: (file) =>
      explained(file, "found", async () => {
        const root = await base();
        if (root === null) return file;
        const parts = file.split("/");
        for (let known = parts.length; known > 0; known--) {
          const asked = join(root, ...parts.slice(0, known));
          const real = await realOrNull(asked);
          if (real === null && (await lstat(asked).catch(ignore("ENOENT")))) throw outside(file);
          if (real === null) continue;
          // From outside it would begin with `..`, which names no document.
          const located = [...relative(root, real).split(sep), ...parts.slice(known)].join("/");
          if (documentNameProblem(located) !== undefined) throw outside(file);
          return located;
        }
        return file;
      }),

    read: (file) =>
      explained(file, "read", () => within(file, false, (folder, name) => readContent(join(folder.via, name), file))),

    stage: (file, content) =>
      explained(file, "written", async () => {
        const opened = Promise.withResolvers<Staged>();
        const closed = Promise.withResolvers<void>();
        // The folder stays open from the staging to the placing: it is the same one, whatever is done to its path.
        const life = within(file, true, async (folder, name) => {
          const fresh = join(folder.via, newName());
          let isThere = true;
          try {
            const { flushed } = await writeWhole(fresh, content, await modeOf(join(folder.via, name)));
            opened.resolve({
              place: (expected) =>
                explained(file, "written", async () => {
                  await flushed;
                  const outcome = await exchange(folder.via, name, fresh, expected);
                  isThere = false;
                  return outcome;
                }),
              close: async () => {
                closed.resolve();
                await life;
              },
            });
            await closed.promise;
          } finally {
            if (isThere) await unlink(fresh).catch(ignore("ENOENT"));
          }
        });
        // It is over before anything was staged when the folder was removed the moment it was made.
        life.then(() => opened.reject(vanished(file)), opened.reject);
        return opened.promise;
      }),

    remove: (file, expected) =>
      explained(
        file,
        "deleted",
        async () =>
          (await within(file, false, (folder, name) => exchange(folder.via, name, null, expected))) ??
          ("placed" as const),
      ),

    list: () =>
      explained(`the folder ${path}`, "read", async () => {
        const files: string[] = [];
        await walk(async (_, entry, file) => {
          if (entry.isFile() && documentNameProblem(file) === undefined) files.push(file);
        });
        return files.sort().slice(0, documentsPerWorkflow);
      }),

    replace: (file, content) =>
      explained(file, "written", async () => {
        const done = await within(file, true, async (folder, name) => {
          const target = join(folder.via, name);
          const existing = await lstat(target).catch(ignore("ENOENT"));
          if (existing && !existing.isFile()) throw notRegular(file);
          const fresh = join(folder.via, `.${name}.new`);
          await writeCopy(fresh, content, await modeOf(target));
          await rename(fresh, target);
          return true;
        });
        if (done === null) throw vanished(file);
      }),

    open: (file) =>
      explained(file, "written", async () => {
        const handle = await within(file, true, (folder, name) => open(join(folder.via, name), sharedFlags, 0o666));
        if (handle === null) throw vanished(file);
        if ((await handle.stat()).isFile()) return handle;
        await handle.close();
        throw notRegular(file);
      }),

    sweep: (isKnown) =>
      explained(`the folder ${path}`, "written", () =>
        walk(async (folder, entry, file) => {
          const found = leftover(entry.name);
          if (!found || !entry.isFile()) return;
          const stray = join(folder.via, entry.name);
          if (found.kept !== undefined) {
            const content = await readKept(stray);
            const document = [...file.split("/").slice(0, -1), found.kept].join("/");
            const isLost = content === null || !(await isKnown(document, content.hash));
            if (isLost) await rename(stray, join(folder.via, found.kept));
          }
          await unlink(stray).catch(ignore("ENOENT"));
        }),
      ),
  };

  /** Visits all that lies in the folder and in those below it, as far as documents may lie there. */
  async function walk(visit: (folder: Opened, entry: Dirent, file: string) => Promise<void>): Promise<void> {
    const root = await base();
    if (root === null) return;
    const waiting: string[][] = [[]];
    for (const parts of waiting) {
      const folder = await openParent(root, parts, false);
      if (!folder) continue;
      try {
        for (const entry of await readdir(folder.via, { withFileTypes: true })) {
          const below = [...parts, entry.name];
          await visit(folder, entry, below.join("/"));
          const mayHold = entry.isDirectory() && documentNameProblem(below.join("/")) === undefined;
          if (mayHold && waiting.length < documentsPerWorkflow) waiting.push(below);
        }
      } finally {
        release(folder.handle);
      }
    }
  }
}

async function realOrNull(path: string): Promise<string | null> {
  return realpath(path).catch(ignore("ENOENT"));
}

function outside(file: string): AppError {
  return new AppError("usage", `${file} is a link that leads out of the documents' folder`, {
    hint: "remove the link, or name another document",
  });
}

function notRegular(file: string): AppError {
  return new AppError("usage", `${file} is not a regular file`, { hint: "move it away" });
}

function vanished(file: string): AppError {
  return new AppError("failed", `${file} could not be written: its folder was removed meanwhile`, {
    hint: "try again",
  });
}

function strayed(path: string): AppError {
  return new AppError("usage", `the folder ${path} is a link that leads out of the project`, {
    hint: "remove the link, or name another folder with context.config.dir",
  });
}
