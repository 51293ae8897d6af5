/** Documents that people find as files: the store keeps the versions, a file follows, and an edit of it is a version too. */
import { createHash } from "node:crypto";
import type { DocumentVersion } from "../../protocol/document.ts";
import { AppError } from "../../protocol/error.ts";
import { pageSize } from "../../protocol/limits.ts";
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
export function createFiledDocuments(store: Store, workflow: string, folder: Folder): Documents {
  const stored = createStoredDocuments(store, workflow);
  /** One at a time: this process is the only one that writes, and people are not asked to wait. */
  const inOrder = createQueue();
  /** Files that are known to have followed. Of others, a crash may have come between version and file. */
  const followed = new Set<string>();
  let isSwept = false;

  /** The latest version, after an edit on disk has become one. */
  async function takeIn(file: string): Promise<DocumentVersion | null> {
    const latest = await store.document({ workflow }, file);
    const onDisk = await folder.read(file);
    if (onDisk === textOf(latest)) {
      if (latest) followed.add(file);
      return latest;
    }
    if (latest && !followed.has(file) && onDisk === (await textBefore(latest))) {
      await follow(file, latest, onDisk);
      return store.document({ workflow }, file);
    }
    const author = { workflow, author: "user" } as const;
    const edit = await store.writeDocument(author, { file, content: onDisk, base: "latest" });
    followed.add(file);
    return "version" in edit ? edit.version : latest;
  }

  async function textBefore({ file, version }: DocumentVersion): Promise<string | null> {
    return version === 1 ? null : textOf(await store.document({ workflow }, file, version - 1));
  }

  /** Brings a version to its file, which is expected to hold what was there before. */
  async function follow(file: string, version: DocumentVersion, expected: string | null): Promise<void> {
    const staged = version.deleted ? null : await folder.stage(file, version.content);
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
        const before = textOf(await takeIn(file));
        return put(writer, { ...change, file }, before);
      });
    },
    append: (writer, file, text) =>
      inOrder(async () => {
        const located = await locate(file);
        const latest = await takeIn(located);
        const before = textOf(latest);
        const content = appended(before ?? "", text);
        checkContent(located, content);
        const base = latest?.version ?? 0;
        const result = await put(writer, { file: located, content, base, blind: true }, before);
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
        const texts = await Promise.all(known.map(({ file }) => stored.read({ workflow }, file)));
        return async () => {
          for (const text of texts) {
            // What a person wrote last is theirs, whether it came as an edit of the file or through a command.
            if (text && text.author !== "user") await folder.remove(text.file, text.content);
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
  async function isVersion(file: string, text: string): Promise<boolean> {
    const hash = createHash("sha256").update(text).digest("hex");
    const versions = await store.documentHistory(workflow, file, pageSize);
    if (versions.some((version) => version.hash === hash)) return true;
    await takeIn(file);
    return false;
  }

  async function put(
    ...[writer, change, before]: [...Parameters<Documents["write"]>, before: string | null]
  ): ReturnType<Documents["write"]> {
    if (change.content === null && before === null) return stored.write(writer, change);
    // A deletion is tried out as well: where nothing can be written, nothing can be removed.
    const staged = await folder.stage(change.file, change.content ?? "");
    try {
      const result = await stored.write(writer, change);
      if (!("version" in result) || !result.changed) return result;
      followed.delete(change.file);
      await replace(change.file, change.content === null ? null : staged, before).catch((cause: unknown) => {
        throw notFollowed(result.version, cause);
      });
      return result;
    } finally {
      await staged.close();
    }
  }
}

/** The text of a document that is there. */
function textOf(version: DocumentVersion | null): string | null {
  return version?.deleted === false ? version.content : null;
}

function ignoreOthers(error: unknown): void {
  if (error instanceof AppError && ["usage", "too-large", "limit"].includes(error.code)) return;
  throw error;
}

function notFollowed({ file, version }: DocumentVersion, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AppError("failed", `version ${version} of ${file} is kept, but its file could not follow: ${reason}`, {
    hint: "it follows with the next reading or writing; nothing has to be written again",
    cause,
  });
}
