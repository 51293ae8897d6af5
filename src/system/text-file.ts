/** Reads a text file of limited size; if it cannot, it explains why in one sentence. */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { KiB, MiB } from "../protocol/limits.ts";
import { nearest } from "../text/suggest.ts";

export type TextFile =
  | { text: string }
  | { problem: "missing" | "folder" | "unreadable" | "too-large" | "not-text"; sentence: string };

const maxEntries = 1_000;

/** Never blocks: anything that is not a regular file, such as a pipe, is refused before reading from it. */
export function readTextFile(path: string, limitBytes: number): TextFile {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) return { problem: "folder", sentence: `'${path}' is a folder` };
    if (!stats.isFile()) return { problem: "unreadable", sentence: `'${path}' is not a regular file` };
    const bytes = readBounded(descriptor, Math.min(stats.size, limitBytes) + 1);
    if (bytes.length > limitBytes) {
      return { problem: "too-large", sentence: `'${path}' is larger than ${formatSize(limitBytes)}` };
    }
    return decode(bytes, path);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    if (code === "ENOENT" || code === "ENOTDIR") return { problem: "missing", sentence: `there is no file '${path}'` };
    const reason = code === "EACCES" || code === "EPERM" ? "permission denied" : code;
    return { problem: "unreadable", sentence: `'${path}' cannot be read: ${reason}` };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Files in the same folder as a missing one with a similar name, most similar first. */
export function similarFiles(path: string, extension: RegExp): string[] {
  const folder = dirname(path);
  return nearest(basename(path), filesIn(folder, extension)).map((name) => join(folder, name));
}

/** The names of files in a folder; empty if it cannot be read. */
export function filesIn(folder: string, extension: RegExp): string[] {
  try {
    return readdirSync(folder)
      .slice(0, maxEntries)
      .filter((name) => extension.test(name))
      .sort();
  } catch {
    return [];
  }
}

function readBounded(descriptor: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const count = readSync(descriptor, bytes, length, size - length, null);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

function decode(bytes: Uint8Array, path: string): TextFile {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return { problem: "not-text", sentence: `'${path}' is UTF-16 text: save it as UTF-8` };
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return { text };
    return { problem: "not-text", sentence: `'${path}' is a binary file` };
  } catch {
    const what = bytes.includes(0) ? "a binary file" : "not UTF-8 text";
    return { problem: "not-text", sentence: `'${path}' is ${what}` };
  }
}

function formatSize(bytes: number): string {
  return bytes >= MiB ? `${bytes / MiB} MiB` : `${bytes / KiB} KiB`;
}
