/** Documents that people find as files: the store keeps the versions, a file follows, and an edit of it is a version too. */
import type { DocumentInfo } from "../../protocol/document.ts";
import { AppError, reasonOf } from "../../protocol/error.ts";
import { pageSize } from "../../protocol/limits.ts";
import type { DocumentChange, Writer } from "../store/data.ts";
import type { Store } from "../store/store.ts";
import { appended, checkContent, checkName, type Documents } from "./documents.ts";
import type { Folder, Staged } from "./folder.ts";
import { createQueue } from "./queue.ts";
import { createStoredDocuments } from "./stored-documents.ts";

/**
 * A write is made ready as a file beside the old one, becomes a version while that is flushed, then takes the old one's
 * place. So a folder that cannot be written refuses before anything is stored, and a crash leaves the version without its
 * file, which the next reading or writing makes up for.
 */
export function createFiledDocuments(store: Store, instance: string, folder: Folder): Documents {
  const stored = createStoredDocuments(store, instance);
  /** One at a time: this process is the only one that writes, and people are not asked to wait. */
  const inOrder = createQueue();
  /** Files that are known to have followed. Of others, a crash may have come between version and file. */
  const followed = new Set<string>();
  let isSwept = false;

  /** The latest version, after an edit on disk has become one. */
  async function takeIn(file: string): Promise<DocumentInfo | null> {
    const [latest, before] = await store.documentHistory(instance, file, 2);
    const onDisk = await folder.read(file);
    const found = onDisk?.hash ?? null;
    if (found === hashOf(latest)) {
      if (latest) followed.add(file);
      return latest ?? null;
    }
    // Written after the version was: then it did not stay behind, somebody went back to what was there before.
    const isLater = latest !== undefined && onDisk !== null && onDisk.writtenAt > latest.createdAt;
    if (latest && !followed.has(file) && found === hashOf(before) && !isLater) {
      await follow(latest, found);
      return newest(file);
    }
    const author = { instance, author: "user" } as const;
    const edit = await store.writeDocument(author, { file, content: onDisk?.text() ?? null, base: "latest" });
    followed.add(file);
    return "version" in edit ? edit.version : (latest ?? null);
  }

  async function newest(file: string): Promise<DocumentInfo | null> {
    const [latest] = await store.documentHistory(instance, file, 1);
    return latest ?? null;
  }

  /** Brings a version to its file, which is expected to hold what was there before. */
  async function follow({ file, version, deleted }: DocumentInfo, expected: string | null): Promise<void> {
    const content = deleted ? null : await store.document({ instance }, file, version);
    const staged = content && (await folder.stage(file, content.content));
    try {
      await replace(file, staged, expected);
    } finally {
      await staged?.close();
    }
  }

  async function replace(file: string, staged: Staged | null, expected: string | null): Promise<void> {
    const outcome = staged ? await staged.place(expected) : await folder.remove(file, expected);
    followed.add(file);
    // Someone saved the file at this very moment: what they saved is there again, and is the version after ours.
    if (outcome === "edited") await takeIn(file);
  }

  return {
    read: (reader, file, version) =>
      inOrder(async () => {
        const located = await locate(file);
        await takeIn(located);
        return stored.read(reader, located, version);
      }),
    async write(writer, change) {
      checkName(change.file);
      if (change.content !== null) checkContent(change.file, change.content);
      return inOrder(async () => {
        const file = await locate(change.file);
        return put(writer, { ...change, file }, takeIn(file));
      });
    },
    append: (writer, file, text) =>
      inOrder(async () => {
        const located = await locate(file);
        const taken = await takeIn(located);
        const latest = await store.document({ instance }, located);
        const content = appended(latest?.deleted === false ? latest.content : "", text);
        checkContent(located, content);
        const base = latest?.version ?? 0;
        const result = await put(writer, { file: located, content, base, blind: true }, taken);
        if ("version" in result) return result;
        throw new AppError("conflict", `${located} was changed by another daemon`, { hint: "try again" });
      }),
    list: () =>
      inOrder(async () => {
        const known = (await stored.list()).map(({ file }) => file);
        for (const file of new Set([...known, ...(await folder.list())])) {
          // What is no text, too large, or too much is somebody's file and no document.
          await takeIn(file).catch(ignoreOthers);
        }
        return stored.list();
      }),
    history: (file, limit) =>
      inOrder(async () => {
        const located = await locate(file);
        await takeIn(located);
        return stored.history(located, limit);
      }),
    prepareClearing: () =>
      inOrder(async () => {
        const known = await stored.list();
        return async () => {
          for (const { file, hash, author } of known) {
            // What a person wrote last is theirs, whether it came as an edit of the file or through a command.
            if (author !== "user") await folder.remove(file, hash);
          }
        };
      }),
  };

  async function locate(file: string): Promise<string> {
    checkName(file);
    if (!isSwept) await folder.sweep(isVersion);
    isSwept = true;
    return folder.locate(file);
  }

  /** Otherwise it was saved at the moment of a write that a crash cut off; what is there now becomes a version first. */
  async function isVersion(file: string, hash: string): Promise<boolean> {
    const versions = await store.documentHistory(instance, file, pageSize);
    if (versions.some((version) => version.hash === hash)) return true;
    await takeIn(file);
    return false;
  }

  /** What is to be written is made ready while the file is still looked at: both are a handful of short waits. */
  async function put(
    writer: Writer,
    change: DocumentChange,
    taking: DocumentInfo | null | Promise<DocumentInfo | null>,
  ): ReturnType<Documents["write"]> {
    const { file, content } = change;
    if (content === null && hashOf(await taking) === null) return stored.write(writer, change);
    // A deletion is tried out as well: where nothing can be written, nothing can be removed.
    const staging = folder.stage(file, content ?? "");
    try {
      const [latest] = await Promise.all([taking, staging]);
      const result = await stored.write(writer, change);
      if (!("version" in result) || !result.changed) return result;
      followed.delete(file);
      await replace(file, content === null ? null : await staging, hashOf(latest)).catch((cause: unknown) => {
        throw notFollowed(result.version, cause);
      });
      return result;
    } finally {
      // Nothing of this write is left to happen when the next begins. Why one of them failed was told.
      await Promise.allSettled([taking, staging.then((staged) => staged.close())]);
    }
  }
}

/** Of a document that is there. */
function hashOf(version: DocumentInfo | null | undefined): string | null {
  return version?.deleted === false ? version.hash : null;
}

function ignoreOthers(error: unknown): void {
  if (error instanceof AppError && ["usage", "too-large", "limit"].includes(error.code)) return;
  throw error;
}

function notFollowed({ file, version }: DocumentInfo, cause: unknown): AppError {
  const reason = reasonOf(cause);
  return new AppError("failed", `version ${version} of ${file} is kept, but its file could not follow: ${reason}`, {
    hint: "it follows with the next reading or writing; nothing has to be written again",
    cause,
  });
}
