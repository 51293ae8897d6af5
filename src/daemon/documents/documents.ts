/** The documents of one workflow instance, wherever they lie. `test/contract/documents.ts` is what every kind has to pass. */
import type { DocumentInfo, DocumentVersion } from "../../protocol/document.ts";
import { documentNameProblem } from "../../protocol/document-name.ts";
import { AppError } from "../../protocol/error.ts";
import { MiB, documentBytes } from "../../protocol/limits.ts";
import type { Claim, DocumentChange, DocumentConflict, DocumentWritten, Writer } from "../store/data.ts";

export type Reader = Claim | { workflow: string };

/**
 * Versions are kept by the store, which refuses what was not made from the latest one. Nothing that anybody wrote is
 * ever without a version. Names, sizes and text are checked here, at the one way in.
 */
export interface Documents {
  /** The latest version, or a certain one; null when there is none, or it is a deletion. */
  read(reader: Reader, file: string, version?: number): Promise<DocumentVersion | null>;
  write(writer: Writer, change: DocumentChange): Promise<DocumentWritten | { conflict: DocumentConflict }>;
  /** Adds lines at the end, whatever was added meanwhile; a document that is missing begins with them. */
  append(writer: Writer, file: string, text: string): Promise<DocumentWritten>;
  /** What there is, without what was deleted. */
  list(): Promise<DocumentInfo[]>;
  /** Newest first. */
  history(file: string, limit: number): Promise<DocumentInfo[]>;
  /** What clears away the copies outside of the store, for when the store has forgotten them. Edits are spared. */
  prepareClearing(): Promise<() => Promise<void>>;
}

export function checkName(file: string): void {
  const problem = documentNameProblem(file);
  if (problem) throw new AppError("usage", problem);
}

/** `file` is named in what is said about the content. */
export function checkContent(file: string, content: string): void {
  const bytes = Buffer.byteLength(content);
  if (bytes > documentBytes) {
    throw new AppError(
      "too-large",
      `${file} would have ${bytes} bytes; a document has at most ${documentBytes / MiB} MiB`,
      {
        hint: "divide it among several documents, or store it as a resource",
      },
    );
  }
  if (!content.isWellFormed()) {
    throw new AppError("usage", `${file}: the text has half a character (a lone surrogate)`, {
      hint: "send valid Unicode",
    });
  }
  if (content.includes("\0")) {
    throw new AppError("usage", `${file}: the text has a NUL character`, { hint: "a document is text" });
  }
}

/** The text at the end of what is there, beginning a line of its own. */
export function appended(before: string, text: string): string {
  return before === "" || before.endsWith("\n") ? before + text : `${before}\n${text}`;
}
