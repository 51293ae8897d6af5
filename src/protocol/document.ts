/** A document: a shared, editable file of the workflow, every version of which is kept. */
import { z } from "zod";

export const DocumentInfo = z.object({
  file: z.string(),
  /** 1, 2, 3… of this document; 0 for one that was never written. */
  version: z.number().int(),
  /** The agent that wrote this version, `user` for a person or an edit on disk, `system` for one created at the start. */
  author: z.string(),
  turn: z.string().nullable(),
  createdAt: z.number(),
  /** The SHA-256 of the content, in hexadecimal. */
  hash: z.string(),
  /** In UTF-8. */
  bytes: z.number().int(),
  /** This version is the document's end; a later one may begin it anew. */
  deleted: z.boolean(),
});
export type DocumentInfo = z.infer<typeof DocumentInfo>;

export const DocumentVersion = DocumentInfo.extend({ content: z.string() });
export type DocumentVersion = z.infer<typeof DocumentVersion>;

const longestName = 200;
const deepest = 8;
/** Letters, digits and what people put into names; nothing that a file system or a terminal reads as more. */
const part = /^[\p{L}\p{N}_](?:[\p{L}\p{N}\p{M} _.,+()@=-]*[\p{L}\p{N}\p{M}_)+=-])?$/u;

/** Why `file` cannot name a document, or undefined when it can. */
export function documentNameProblem(file: string): string | undefined {
  const shown = JSON.stringify(file.length > 80 ? `${file.slice(0, 79)}…` : file);
  if (file === "") return "a document needs a name";
  if (file.startsWith("/")) return `${shown} is not relative: documents are named from their own folder on`;
  if (Buffer.byteLength(file) > longestName) return `a document's name has at most ${longestName} bytes`;
  if (file.split("/").length > deepest) return `${shown} lies more than ${deepest} folders deep`;
  if (file.split("/").includes("..")) return `${shown} leaves the documents' folder`;
  if (file.normalize("NFC") !== file) return `${shown} is not in Unicode's composed form (NFC)`;
  if (file.split("/").every((name) => part.test(name))) return undefined;
  return `${shown} cannot name a document: use letters, digits and . _ - and /, as in notes/today.md`;
}
