/** File operations for documents: read text, write whole files, replace a file without losing a concurrent edit. */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, link, lstat, open, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../protocol/error.ts";
import { MiB, documentBytes } from "../../protocol/limits.ts";
import { hasCode, ignore } from "../../system/file-errors.ts";
import { sha256 } from "../../system/sha256.ts";

/** `edited`: the file had unexpected content, which has been put back. */
export type Placed = "placed" | "edited";

/** Non-blocking, because opening a pipe would wait for a writer. */
const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const copyFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
/** The prefix of our temporary files in the folder; no document can have such a name. */
const temporaryPrefix = ".agent-worker-";

/** The content of a file: compared by its hash, and decoded only when the text is needed. */
export type FileContent = { hash: string; modifiedAt: number; text: () => string };

/**
 * Replaces the file with the `fresh` one, which is moved, or removes it when `fresh` is null. A hard link keeps the old
 * file until its content has been checked again. `expected` is the hash of that content, null for no file.
 */
export async function replaceFile(
  folder: string,
  name: string,
  fresh: string | null,
  expected: string | null,
): Promise<Placed> {
  const [target, backup] = [join(folder, name), join(folder, backupName(name))];
  const kept = await keepBackup(target, backup);
  if (kept === "missing") {
    // A link, not a rename: if a person has created the file in the meantime, theirs stays.
    if (fresh === null) return "placed";
    const placed = await link(fresh, target).then(
      () => "placed" as const,
      (error: unknown) => {
        if (hasCode(error, "EEXIST")) return "edited" as const;
        throw error;
      },
    );
    await unlink(fresh);
    return placed;
  }
  if (fresh === null) await unlink(target).catch(ignore("ENOENT"));
  else await rename(fresh, target);
  if (kept === "unsupported") return "placed";
  const isExpected = (await readBackup(backup))?.hash === expected;
  if (isExpected) await unlink(backup);
  else await rename(backup, target);
  return isExpected ? "placed" : "edited";
}

export async function readContent(path: string, file: string): Promise<FileContent | null> {
  const handle = await open(path, fileFlags).catch(ignore("ENOENT"));
  if (!handle) return null;
  try {
    const { size, mtimeMs } = await handle.stat().then((stat) => {
      if (!stat.isFile()) throw new AppError("usage", `${file} is not a regular file`);
      return stat;
    });
    if (size > documentBytes) {
      throw new AppError(
        "too-large",
        `the file ${file} is ${size} bytes long; the limit for a document is ${documentBytes / MiB} MiB`,
        {
          hint: "make it shorter, or move it elsewhere",
        },
      );
    }
    const bytes = await handle.readFile();
    return { hash: sha256(bytes), modifiedAt: mtimeMs, text: () => decode(bytes, file) };
  } finally {
    closeInBackground(handle);
  }
}

/** Closes a handle that was not written to. Nothing waits for that, and nothing can be done if it fails. */
export function closeInBackground(handle: FileHandle): void {
  handle.close().catch(() => undefined);
}

function decode(bytes: Uint8Array, file: string): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // Reported below, like a NUL character.
  }
  throw new AppError("usage", `the file ${file} is not UTF-8 text`, {
    hint: "move it out of the documents folder",
  });
}

/** Writes a new file. `flushed` resolves when it is on disk. */
export async function writeNewFile(path: string, content: string, mode: number): Promise<{ flushed: Promise<void> }> {
  const handle = await open(path, "wx", mode);
  try {
    await handle.writeFile(content);
  } catch (error) {
    await handle.close();
    throw error;
  }
  const flushed = handle.sync().finally(() => handle.close());
  // A caller that awaits it sees the failure; one that does not must not cause an unhandled rejection.
  flushed.catch(() => undefined);
  return { flushed };
}

/** Writes a file that can be written again: it is not flushed, and overwrites what an earlier try left. */
export async function writeCopy(path: string, content: string, mode: number): Promise<void> {
  const handle = await open(path, copyFlags, mode);
  try {
    await handle.writeFile(content);
  } finally {
    await handle.close();
  }
}

/** The permissions of the file, which its replacement keeps. */
export async function modeOf(path: string): Promise<number> {
  const existing = await lstat(path).catch(ignore("ENOENT"));
  return existing?.isFile() ? existing.mode & 0o777 : 0o666;
}

/** Not every file system has hard links. Without them, the replaced content cannot be checked again. */
async function keepBackup(target: string, backup: string): Promise<"kept" | "missing" | "unsupported"> {
  try {
    await link(target, backup);
    return "kept";
  } catch (error) {
    if (hasCode(error, "ENOENT")) return "missing";
    if (hasCode(error, "EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "ENOSYS")) return "unsupported";
    throw error;
  }
}

/** The content that was replaced; null when it cannot be a document, for example when a link was put there. */
export async function readBackup(backup: string): Promise<FileContent | null> {
  return readContent(backup, "it").catch(() => null);
}

export function stagedName(): string {
  return `${temporaryPrefix}${randomBytes(8).toString("hex")}.new`;
}

/** Contains the file's name, so that the file can be restored after a crash. */
function backupName(name: string): string {
  return `${temporaryPrefix}${randomBytes(8).toString("hex")}.${name}.kept`;
}

/** Recognizes what a crash left behind: a staged file, or a backup with the name of the file that was being replaced. */
export function parseLeftover(name: string): { backupOf: string | undefined } | undefined {
  const match = /^\.agent-worker-[0-9a-f]{16}\.(?:new|(.+)\.kept)$/.exec(name);
  return match ? { backupOf: match[1] } : undefined;
}
