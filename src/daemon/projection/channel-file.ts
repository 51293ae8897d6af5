/** `channel.md`: the channel as an append-only file that matches the stored messages, also after crashes and edits. */
import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { AppError } from "../../protocol/error.ts";
import type { Message } from "../../protocol/message.ts";
import { renderEntry } from "../../text/transcript.ts";
import { explainFileErrors } from "../documents/explain-file-errors.ts";
import type { Folder } from "../documents/folder.ts";

/** Few at a time, because each may be long. */
const messagesPerPage = 20;

export type ReadPage = (page: { after: number; limit: number }) => Promise<Message[]>;

/** How far the file is known to be correct: up to which message, and up to which byte. */
type Position = { seq: number; bytes: number };

/**
 * The content of the file depends only on the messages. If the file is unchanged since the last update, new entries are
 * appended. Otherwise, as after a crash, it is compared from the start: what is correct stays, the rest is rewritten.
 */
export class ChannelFile {
  readonly #folder: Folder;
  readonly #file: string;
  readonly #readPage: ReadPage;
  #position: Position = { seq: 0, bytes: 0 };
  /** The file's state after the last update. */
  #lastStats: BigIntStats | null = null;

  constructor(folder: Folder, file: string, readPage: ReadPage) {
    this.#folder = folder;
    this.#file = file;
    this.#readPage = readPage;
  }

  update(): Promise<void> {
    return explainFileErrors(this.#file, "written", () => this.#bringUpToDate());
  }

  async #bringUpToDate(): Promise<void> {
    const handle = await this.#folder.open(this.#file);
    try {
      if (!isSame(this.#lastStats, await handle.stat({ bigint: true }))) this.#position = { seq: 0, bytes: 0 };
      this.#lastStats = null;
      while (await this.#addPage(handle));
      const { size } = await handle.stat();
      if (size !== this.#position.bytes) await handle.truncate(this.#position.bytes);
      this.#lastStats = await handle.stat({ bigint: true });
    } finally {
      await handle.close();
    }
  }

  /** Returns false after the last page. */
  async #addPage(handle: FileHandle): Promise<boolean> {
    const { seq, bytes } = this.#position;
    const messages = await this.#readPage({ after: seq, limit: messagesPerPage });
    const entries = messages.filter((message) => !message.private).map(renderEntry);
    const text = Buffer.from(entries.join(""));
    if (!(await hasText(handle, text, bytes))) await writeAt(handle, text, bytes);
    this.#position = { seq: messages.at(-1)?.seq ?? seq, bytes: bytes + text.length };
    return messages.length === messagesPerPage;
  }
}

function isSame(last: BigIntStats | null, now: BigIntStats): boolean {
  return last !== null && last.ino === now.ino && last.size === now.size && last.mtimeNs === now.mtimeNs;
}

/** Whether the file has exactly this text at this position. */
async function hasText(handle: FileHandle, text: Buffer, position: number): Promise<boolean> {
  if (text.length === 0) return true;
  const found = Buffer.alloc(text.length);
  const { bytesRead } = await handle.read(found, 0, text.length, position);
  return bytesRead === text.length && found.equals(text);
}

/** Writes all of the text: a single write may write only part of it. */
async function writeAt(handle: FileHandle, text: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < text.length) {
    const { bytesWritten } = await handle.write(text, written, text.length - written, position + written);
    if (bytesWritten === 0)
      throw new AppError("failed", "the file system did not accept all of the file", { hint: "is the disk full?" });
    written += bytesWritten;
  }
}
