/** The documents of one workflow instance, wherever they are kept. Every kind passes `test/contract/documents.ts`. */
import type { DocumentInfo, DocumentVersion } from "../../protocol/document.ts";
import { documentNameProblem } from "../../protocol/document-name.ts";
import { AppError } from "../../protocol/error.ts";
import { MiB, documentBytes } from "../../protocol/limits.ts";
import type { Claim, DocumentChange, DocumentConflict, DocumentWritten, Writer } from "../store/data.ts";

export type Reader = Claim | { instance: string };

/**
 * The store keeps the versions and refuses a write that is not based on the latest one. Every write becomes a version,
 * also an edit by a person. Names, sizes and text are checked here, at the only entry.
 */
export interface Documents {
  /** The latest version, or the given one; null when it does not exist or is a deletion. */
  read(reader: Reader, file: string, version?: number): Promise<DocumentVersion | null>;
  write(writer: Writer, change: DocumentChange): Promise<DocumentWritten | { conflict: DocumentConflict }>;
  /** Adds lines to the end, after anything added at the same time; creates the document when it is missing. */
  append(writer: Writer, file: string, text: string): Promise<DocumentWritten>;
  /** All documents except deleted ones. */
  list(): Promise<DocumentInfo[]>;
  /** Newest first. */
  history(file: string, limit: number): Promise<DocumentInfo[]>;
  /**
   * Returns a function that removes the copies outside of the store, to call once the store has deleted the documents.
   * It keeps what a person wrote last.
   */
  prepareClearing(): Promise<() => Promise<void>>;
}

export function checkName(file: string): void {
  const problem = documentNameProblem(file);
  if (problem) throw new AppError("usage", problem);
}

/** `file` is only used in the error messages. */
export function checkContent(file: string, content: string): void {
  const bytes = Buffer.byteLength(content);
  if (bytes > documentBytes) {
    throw new AppError(
      "too-large",
      `${file} would be ${bytes} bytes long; the limit for a document is ${documentBytes / MiB} MiB`,
      {
        hint: "split it into several documents, or store it as a resource",
      },
    );
  }
  if (!content.isWellFormed()) {
    throw new AppError("usage", `${file}: the text contains a lone surrogate (half a character)`, {
      hint: "send valid Unicode",
    });
  }
  if (content.includes("\0")) {
    throw new AppError("usage", `${file}: the text contains a NUL character`, { hint: "a document is text" });
  }
}

/** Adds the text at the end, on a new line. */
export function appendLines(before: string, text: string): string {
  return before === "" || before.endsWith("\n") ? before + text : `${before}\n${text}`;
}
