/** The documents folder on disk: never reads or writes outside of it, even when links change at the same time. */
import { constants, type Dirent } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, realpath, rename, unlink } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { documentNameProblem } from "../../protocol/document-name.ts";
import { AppError } from "../../protocol/error.ts";
import { documentsPerWorkflow } from "../../protocol/limits.ts";
import { type Opened, OutsideFolder, descend } from "../../system/confined/open.ts";
import { isInside, realFolderAbove } from "../../system/confined/inside.ts";
import { ignore } from "../../system/file-errors.ts";
import { explainFileErrors } from "./explain-file-errors.ts";
import {
  type FileContent,
  type Placed,
  closeInBackground,
  modeOf,
  parseLeftover,
  readBackup,
  readContent,
  replaceFile,
  stagedName,
  writeCopy,
  writeNewFile,
} from "./files.ts";

/**
 * Content staged next to the file it is for. `close` must be called, whether it was placed or not. Here and below,
 * `expected` is the hash of the content that the file should have, null for no file.
 */
export type Staged = { place(expected: string | null): Promise<Placed>; close(): Promise<void> };

export type Folder = {
  /** The document's name after links are resolved; throws when it is outside of the folder. */
  locate(file: string): Promise<string>;
  /** Null when there is no such file. */
  read(file: string): Promise<FileContent | null>;
  stage(file: string, content: string): Promise<Staged>;
  remove(file: string, expected: string | null): Promise<Placed>;
  list(): Promise<string[]>;
  /** Replaces a file, whatever its content; only for copies that can be written again. */
  replace(file: string, content: string): Promise<void>;
  /** Opens a file for reading and writing, and creates it when it is missing. */
  open(file: string): Promise<FileHandle>;
  /** Removes what a crash left behind. A file that was being replaced is restored unless its content is known. */
  sweep(isKnown: (file: string, hash: string) => Promise<boolean>): Promise<void>;
};

/** Non-blocking, because opening a pipe would wait for its other end. */
const sharedFlags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** `path` must be inside `project`, also after links are resolved. It is created with the first document. */
export function createFolder(project: string, path: string): Folder {
  /** The real path; null when it does not exist. */
  async function base(): Promise<string | null> {
    const [home, real] = await Promise.all([realOrNull(project), realOrNull(path)]);
    // This does not mean that the documents were deleted: a disk may only be disconnected.
    if (home === null) throw new AppError("failed", `the project folder ${project} does not exist`);
    if (real !== null && !isInside(home, real)) throw folderOutside(path);
    return real;
  }

  async function createBase(): Promise<string> {
    const existing = await base();
    if (existing !== null) return existing;
    if (!isInside(await realpath(project), realFolderAbove(path))) throw folderOutside(path);
    await mkdir(path, { recursive: true });
    return (await base()) ?? path;
  }

  /** Opens the folder that contains a document, without following links; null when it does not exist. */
  async function openParent(root: string, parts: string[], create: boolean): Promise<Opened | null> {
    try {
      return await descend(root, parts, { links: "refuse", create });
    } catch (error) {
      if (error instanceof OutsideFolder) throw folderOutside(path);
      return ignore("ENOENT")(error);
    }
  }

  /** Runs `work` with the open folder that contains the file; null when that does not exist and is not created. */
  async function inParent<Result>(
    file: string,
    create: boolean,
    work: (folder: Opened, name: string) => Promise<Result>,
  ): Promise<Result | null> {
    const root = create ? await createBase() : await base();
    if (root === null) return null;
    const parts = file.split("/");
    const name = parts.pop() ?? file;
    const folder = await openParent(root, parts, create);
    if (!folder) return null;
    try {
      return await work(folder, name);
    } finally {
      closeInBackground(folder.handle);
    }
  }

  return {
    locate: (file) =>
      explainFileErrors(file, "found", async () => {
        const root = await base();
        if (root === null) return file;
        const parts = file.split("/");
        for (let known = parts.length; known > 0; known--) {
          const ancestor = join(root, ...parts.slice(0, known));
          const real = await realOrNull(ancestor);
          if (real === null && (await lstat(ancestor).catch(ignore("ENOENT")))) throw fileOutside(file);
          if (real === null) continue;
          // A path outside of the folder starts with `..`, which is not a document name.
          const located = [...relative(root, real).split(sep), ...parts.slice(known)].join("/");
          if (documentNameProblem(located) !== undefined) throw fileOutside(file);
          return located;
        }
        return file;
      }),

    read: (file) =>
      explainFileErrors(file, "read", () =>
        inParent(file, false, (folder, name) => readContent(join(folder.via, name), file)),
      ),

    stage: (file, content) =>
      explainFileErrors(file, "written", async () => {
        const opened = Promise.withResolvers<Staged>();
        const closed = Promise.withResolvers<void>();
        // The folder stays open from staging to placing, so it is the same folder even if its path changes.
        const staging = inParent(file, true, async (folder, name) => {
          const fresh = join(folder.via, stagedName());
          let isStaged = true;
          try {
            const { flushed } = await writeNewFile(fresh, content, await modeOf(join(folder.via, name)));
            opened.resolve({
              place: (expected) =>
                explainFileErrors(file, "written", async () => {
                  await flushed;
                  const outcome = await replaceFile(folder.via, name, fresh, expected);
                  isStaged = false;
                  return outcome;
                }),
              close: async () => {
                closed.resolve();
                await staging;
              },
            });
            await closed.promise;
          } finally {
            if (isStaged) await unlink(fresh).catch(ignore("ENOENT"));
          }
        });
        // It ends before anything is staged when the folder is removed right after it was created.
        staging.then(() => opened.reject(folderRemoved(file)), opened.reject);
        return opened.promise;
      }),

    remove: (file, expected) =>
      explainFileErrors(
        file,
        "deleted",
        async () =>
          (await inParent(file, false, (folder, name) => replaceFile(folder.via, name, null, expected))) ??
          ("placed" as const),
      ),

    list: () =>
      explainFileErrors(`the folder ${path}`, "read", async () => {
        const files: string[] = [];
        await walk(async (_, entry, file) => {
          if (entry.isFile() && documentNameProblem(file) === undefined) files.push(file);
        });
        return files.sort().slice(0, documentsPerWorkflow);
      }),

    replace: (file, content) =>
      explainFileErrors(file, "written", async () => {
        const done = await inParent(file, true, async (folder, name) => {
          const target = join(folder.via, name);
          const existing = await lstat(target).catch(ignore("ENOENT"));
          if (existing && !existing.isFile()) throw notRegular(file);
          const fresh = join(folder.via, `.${name}.new`);
          await writeCopy(fresh, content, await modeOf(target));
          await rename(fresh, target);
          return true;
        });
        if (done === null) throw folderRemoved(file);
      }),

    open: (file) =>
      explainFileErrors(file, "written", async () => {
        const handle = await inParent(file, true, (folder, name) => open(join(folder.via, name), sharedFlags, 0o666));
        if (handle === null) throw folderRemoved(file);
        if ((await handle.stat()).isFile()) return handle;
        await handle.close();
        throw notRegular(file);
      }),

    sweep: (isKnown) =>
      explainFileErrors(`the folder ${path}`, "written", () =>
        walk(async (folder, entry, file) => {
          const leftover = parseLeftover(entry.name);
          if (!leftover || !entry.isFile()) return;
          const found = join(folder.via, entry.name);
          if (leftover.backupOf !== undefined) {
            const content = await readBackup(found);
            const document = [...file.split("/").slice(0, -1), leftover.backupOf].join("/");
            const isLost = content === null || !(await isKnown(document, content.hash));
            if (isLost) await rename(found, join(folder.via, leftover.backupOf));
          }
          await unlink(found).catch(ignore("ENOENT"));
        }),
      ),
  };

  /** Visits every entry of the folder and of its subfolders that can contain documents. */
  async function walk(visit: (folder: Opened, entry: Dirent, file: string) => Promise<void>): Promise<void> {
    const root = await base();
    if (root === null) return;
    const folders: string[][] = [[]];
    for (const parts of folders) {
      const folder = await openParent(root, parts, false);
      if (!folder) continue;
      try {
        for (const entry of await readdir(folder.via, { withFileTypes: true })) {
          const below = [...parts, entry.name];
          await visit(folder, entry, below.join("/"));
          const canContain = entry.isDirectory() && documentNameProblem(below.join("/")) === undefined;
          if (canContain && folders.length < documentsPerWorkflow) folders.push(below);
        }
      } finally {
        closeInBackground(folder.handle);
      }
    }
  }
}

async function realOrNull(path: string): Promise<string | null> {
  return realpath(path).catch(ignore("ENOENT"));
}

function fileOutside(file: string): AppError {
  return new AppError("usage", `${file} is a link that points outside the documents folder`, {
    hint: "remove the link, or use another document",
  });
}

function notRegular(file: string): AppError {
  return new AppError("usage", `${file} is not a regular file`, { hint: "move it elsewhere" });
}

function folderRemoved(file: string): AppError {
  return new AppError("failed", `${file} could not be written: its folder was removed at the same time`, {
    hint: "try again",
  });
}

function folderOutside(path: string): AppError {
  return new AppError("usage", `the folder ${path} is a link that points outside the project`, {
    hint: "remove the link, or set another folder with context.config.dir",
  });
}
