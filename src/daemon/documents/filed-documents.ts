/** Documents that people see as files: the store keeps the versions, and an edit of a file becomes a version. */
import type { DocumentInfo } from "../../protocol/document.ts";
import { AppError, reasonOf } from "../../protocol/error.ts";
import { pageSize } from "../../protocol/limits.ts";
import type { DocumentChange, Writer } from "../store/data.ts";
import type { Store } from "../store/store.ts";
import { appendLines, checkContent, checkName, type Documents } from "./documents.ts";
import type { Folder, Staged } from "./folder.ts";
import { createQueue } from "./queue.ts";
import { createStoredDocuments } from "./stored-documents.ts";

/**
 * A write is staged as a file next to the old one, stored as a version while that file is flushed, and then replaces the
 * old file. So a write to a folder that cannot be written fails before anything is stored, and a crash can only leave a
 * version without its file, which the next read or write adds.
 */
export function createFiledDocuments(store: Store, instance: string, folder: Folder): Documents {
  const stored = createStoredDocuments(store, instance);
  /** Serializes the writes of this process. People edit the files at any time. */
  const inOrder = createQueue();
  /** Files known to match their version. For others, a crash may have come between version and file. */
  const inSync = new Set<string>();
  let isSwept = false;

  /** Stores an edit on disk as a version, and returns the latest version. */
  async function importEdit(file: string): Promise<DocumentInfo | null> {
    const [latest, before] = await store.documentHistory(instance, file, 2);
    const onDisk = await folder.read(file);
    const found = onDisk?.hash ?? null;
    if (found === hashOf(latest)) {
      if (latest) inSync.add(file);
      return latest ?? null;
    }
    // Modified after the version was stored: the file is not behind, but a person has restored the earlier content.
    const isLater = latest !== undefined && onDisk !== null && onDisk.modifiedAt > latest.createdAt;
    if (latest && !inSync.has(file) && found === hashOf(before) && !isLater) {
      await writeToFile(latest, found);
      return newest(file);
    }
    const author = { instance, author: "user" } as const;
    const edit = await store.writeDocument(author, { file, content: onDisk?.text() ?? null, base: "latest" });
    inSync.add(file);
    return "version" in edit ? edit.version : (latest ?? null);
  }

  async function newest(file: string): Promise<DocumentInfo | null> {
    const [latest] = await store.documentHistory(instance, file, 1);
    return latest ?? null;
  }

  /** Writes a version to its file, which is expected to have the content from before. */
  async function writeToFile({ file, version, deleted }: DocumentInfo, expected: string | null): Promise<void> {
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
    inSync.add(file);
    // A person saved the file at the same moment: their content was put back, and becomes the version after ours.
    if (outcome === "edited") await importEdit(file);
  }

  return {
    read: (reader, file, version) =>
      inOrder(async () => {
        const located = await locate(file);
        await importEdit(located);
        return stored.read(reader, located, version);
      }),
    async write(writer, change) {
      checkName(change.file);
      if (change.content !== null) checkContent(change.file, change.content);
      return inOrder(async () => {
        const file = await locate(change.file);
        return put(writer, { ...change, file }, importEdit(file));
      });
    },
    append: (writer, file, text) =>
      inOrder(async () => {
        const located = await locate(file);
        const imported = await importEdit(located);
        const latest = await store.document({ instance }, located);
        const content = appendLines(latest?.deleted === false ? latest.content : "", text);
        checkContent(located, content);
        const base = latest?.version ?? 0;
        const result = await put(writer, { file: located, content, base, blind: true }, imported);
        if ("version" in result) return result;
        throw new AppError("conflict", `${located} was changed by another daemon`, { hint: "try again" });
      }),
    list: () =>
      inOrder(async () => {
        const known = (await stored.list()).map(({ file }) => file);
        for (const file of new Set([...known, ...(await folder.list())])) {
          // A file that is not text, is too large, or is one too many is not a document.
          await importEdit(file).catch(ignoreNonDocuments);
        }
        return stored.list();
      }),
    history: (file, limit) =>
      inOrder(async () => {
        const located = await locate(file);
        await importEdit(located);
        return stored.history(located, limit);
      }),
    prepareClearing: () =>
      inOrder(async () => {
        const known = await stored.list();
        return async () => {
          for (const { file, hash, author } of known) {
            // What a person wrote last is kept, whether they edited the file or used a command.
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

  /**
   * Whether the content is a version. If not, a person saved it during a write that a crash interrupted; then the current
   * content of the file becomes a version first.
   */
  async function isVersion(file: string, hash: string): Promise<boolean> {
    const versions = await store.documentHistory(instance, file, pageSize);
    if (versions.some((version) => version.hash === hash)) return true;
    await importEdit(file);
    return false;
  }

  /** Stages the new content while the current file is still being read, because both mostly wait for the disk. */
  async function put(
    writer: Writer,
    change: DocumentChange,
    importing: DocumentInfo | null | Promise<DocumentInfo | null>,
  ): ReturnType<Documents["write"]> {
    const { file, content } = change;
    if (content === null && hashOf(await importing) === null) return stored.write(writer, change);
    // A deletion is staged too: where nothing can be written, nothing can be deleted.
    const staging = folder.stage(file, content ?? "");
    try {
      const [latest] = await Promise.all([importing, staging]);
      const result = await stored.write(writer, change);
      if (!("version" in result) || !result.changed) return result;
      inSync.delete(file);
      await replace(file, content === null ? null : await staging, hashOf(latest)).catch((cause: unknown) => {
        throw fileNotUpdated(result.version, cause);
      });
      return result;
    } finally {
      // No part of this write is still running when the next one starts. Failures have been thrown above.
      await Promise.allSettled([importing, staging.then((staged) => staged.close())]);
    }
  }
}

/** Null for a document that is missing or deleted. */
function hashOf(version: DocumentInfo | null | undefined): string | null {
  return version?.deleted === false ? version.hash : null;
}

function ignoreNonDocuments(error: unknown): void {
  if (error instanceof AppError && ["usage", "too-large", "limit"].includes(error.code)) return;
  throw error;
}

function fileNotUpdated({ file, version }: DocumentInfo, cause: unknown): AppError {
  const reason = reasonOf(cause);
  return new AppError(
    "failed",
    `version ${version} of ${file} is stored, but its file could not be updated: ${reason}`,
    {
      hint: "the next read or write updates it; you do not need to write it again",
      cause,
    },
  );
}
