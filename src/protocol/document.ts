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
