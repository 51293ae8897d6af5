/** Files as documents need them: read as text, written whole, and exchanged without losing what someone saved meanwhile. */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, link, lstat, open, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../protocol/error.ts";
import { MiB, documentBytes } from "../../protocol/limits.ts";
import { hasCode, ignore } from "../../system/file-errors.ts";
import { sha256 } from "../../system/sha256.ts";

/** `edited`: the file did not hold what was expected, and holds that again. */
export type Placed = "placed" | "edited";

/** Not blocking, because opening a pipe would wait for a writer. */
const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const copyFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
/** What the program itself puts into the folder for a moment; no document is called so. */
const ownPrefix = ".agent-worker-";

/** What a file holds, since when: told apart by its hash, and read as text only by whom the text matters to. */
export type FileContent = { hash: string; writtenAt: number; text: () => string };

/**
 * Takes the old file away, or puts the new one in its place; the old one is kept by a link until it was looked at again.
 * `expected` is the hash of what it is thought to hold, null for no file. The new one is gone from where it was, afterwards.
 */
export async function exchange(
  folder: string,
  name: string,
  fresh: string | null,
  expected: string | null,
): Promise<Placed> {
  const [target, kept] = [join(folder, name), join(folder, keptName(name))];
  const keeping = await keep(target, kept);
  if (keeping === "missing") {
    // A link, not a renaming: should someone have made the file meanwhile, theirs stays.
    if (fresh === null) return "placed";
    const made = await link(fresh, target).then(
      () => "placed" as const,
      (error: unknown) => {
        if (hasCode(error, "EEXIST")) return "edited" as const;
        throw error;
      },
    );
    await unlink(fresh);
    return made;
  }
  if (fresh === null) await unlink(target).catch(ignore("ENOENT"));
  else await rename(fresh, target);
  if (keeping === "impossible") return "placed";
  const isExpected = (await readKept(kept))?.hash === expected;
  if (isExpected) await unlink(kept);
  else await rename(kept, target);
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
        `the file ${file} has ${size} bytes; a document has at most ${documentBytes / MiB} MiB`,
        {
          hint: "make it shorter, or move it elsewhere",
        },
      );
    }
    const bytes = await handle.readFile();
    return { hash: sha256(bytes), writtenAt: mtimeMs, text: () => decode(bytes, file) };
  } finally {
    release(handle);
  }
}

/** Closes what was only read from or through. Nobody has to wait for that, and nothing can be done if it fails. */
export function release(handle: FileHandle): void {
  handle.close().catch(() => undefined);
}

function decode(bytes: Uint8Array, file: string): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // Said below, in the same words as for a NUL.
  }
  throw new AppError("usage", `the file ${file} is not text in UTF-8`, {
    hint: "move it out of the documents' folder",
  });
}

/** A new file, written; what is given tells when the disk has it too. */
export async function writeWhole(path: string, content: string, mode: number): Promise<{ flushed: Promise<void> }> {
  const handle = await open(path, "wx", mode);
  try {
    await handle.writeFile(content);
  } catch (error) {
    await handle.close();
    throw error;
  }
  const flushed = handle.sync().finally(() => handle.close());
  // Whoever waits for it is told; nobody has to wait.
  flushed.catch(() => undefined);
  return { flushed };
}

/** The same for what can be made again: not flushed, and what an earlier try left is written over. */
export async function writeCopy(path: string, content: string, mode: number): Promise<void> {
  const handle = await open(path, copyFlags, mode);
  try {
    await handle.writeFile(content);
  } finally {
    await handle.close();
  }
}

/** A file that is replaced keeps its permissions. */
export async function modeOf(path: string): Promise<number> {
  const existing = await lstat(path).catch(ignore("ENOENT"));
  return existing?.isFile() ? existing.mode & 0o777 : 0o666;
}

/** Not every file system has links; there, what is replaced was looked at only once. */
async function keep(target: string, kept: string): Promise<"kept" | "missing" | "impossible"> {
  try {
    await link(target, kept);
    return "kept";
  } catch (error) {
    if (hasCode(error, "ENOENT")) return "missing";
    if (hasCode(error, "EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "ENOSYS")) return "impossible";
    throw error;
  }
}

/** What was replaced; null when it is nothing that could be a document, such as a link put there meanwhile. */
export async function readKept(kept: string): Promise<FileContent | null> {
  return readContent(kept, "it").catch(() => null);
}

export function newName(): string {
  return `${ownPrefix}${randomBytes(8).toString("hex")}.new`;
}

/** Says whose place it had, for whoever finds it after a crash. */
function keptName(name: string): string {
  return `${ownPrefix}${randomBytes(8).toString("hex")}.${name}.kept`;
}

/** What a crash left: a file made ready and never placed, or the one that was being replaced, with its name. */
export function leftover(name: string): { kept: string | undefined } | undefined {
  const match = /^\.agent-worker-[0-9a-f]{16}\.(?:new|(.+)\.kept)$/.exec(name);
  return match ? { kept: match[1] } : undefined;
}
