/** `channel.md`: the channel as a file that only grows, held to the store's messages whatever crashes or edits do to it. */
import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { AppError } from "../../protocol/error.ts";
import type { Message } from "../../protocol/message.ts";
import { renderEntry } from "../../text/transcript.ts";
import { explained } from "../documents/explain-file-errors.ts";
import type { Folder } from "../documents/folder.ts";

/** Few at a time, because each may be long. */
const messagesPerPage = 20;

export type ReadPage = (page: { after: number; limit: number }) => Promise<Message[]>;

/** Up to which message the file is known to be right, and how many bytes that takes. */
type Place = { seq: number; bytes: number };

/**
 * What the file should hold follows from the messages alone. As long as it is as it was left, entries are added at its
 * end. Otherwise, as after a crash, it is read from its beginning: what is right stays, and the rest is written anew.
 */
export class ChannelFile {
  readonly #folder: Folder;
  readonly #file: string;
  readonly #readPage: ReadPage;
  #place: Place = { seq: 0, bytes: 0 };
  #left: BigIntStats | null = null;

  constructor(folder: Folder, file: string, readPage: ReadPage) {
    this.#folder = folder;
    this.#file = file;
    this.#readPage = readPage;
  }

  update(): Promise<void> {
    return explained(this.#file, "written", () => this.#bringUpToDate());
  }

  async #bringUpToDate(): Promise<void> {
    const handle = await this.#folder.open(this.#file);
    try {
      if (!isSame(this.#left, await handle.stat({ bigint: true }))) this.#place = { seq: 0, bytes: 0 };
      this.#left = null;
      while (await this.#addPage(handle));
      const { size } = await handle.stat();
      if (size !== this.#place.bytes) await handle.truncate(this.#place.bytes);
      this.#left = await handle.stat({ bigint: true });
    } finally {
      await handle.close();
    }
  }

  /** False when this was the last. */
  async #addPage(handle: FileHandle): Promise<boolean> {
    const { seq, bytes } = this.#place;
    const messages = await this.#readPage({ after: seq, limit: messagesPerPage });
    const entries = messages.filter((message) => !message.private).map(renderEntry);
    const text = Buffer.from(entries.join(""));
    if (!(await holds(handle, text, bytes))) await writeAt(handle, text, bytes);
    this.#place = { seq: messages.at(-1)?.seq ?? seq, bytes: bytes + text.length };
    return messages.length === messagesPerPage;
  }
}

function isSame(left: BigIntStats | null, now: BigIntStats): boolean {
  return left !== null && left.ino === now.ino && left.size === now.size && left.mtimeNs === now.mtimeNs;
}

/** Whether the file has exactly this text at that place. */
async function holds(handle: FileHandle, text: Buffer, position: number): Promise<boolean> {
  if (text.length === 0) return true;
  const there = Buffer.alloc(text.length);
  const { bytesRead } = await handle.read(there, 0, text.length, position);
  return bytesRead === text.length && there.equals(text);
}

/** All of it: a single write may end early. */
async function writeAt(handle: FileHandle, text: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < text.length) {
    const { bytesWritten } = await handle.write(text, written, text.length - written, position + written);
    if (bytesWritten === 0)
      throw new AppError("failed", "the file system took no more of it", { hint: "is the disk full?" });
    written += bytesWritten;
  }
}
