/** A document: a shared, editable file of an instance. Every version is kept. */
import { z } from "zod";

export const DocumentInfo = z.object({
  file: z.string(),
  /** 1, 2, 3… for each document; 0 if it was never written. */
  version: z.number().int(),
  /** The agent that wrote this version; `user` for a person or an edit on disk, `system` if created at the start. */
  author: z.string(),
  turn: z.string().nullable(),
  createdAt: z.number(),
  /** SHA-256 of the content, in hexadecimal. */
  hash: z.string(),
  /** Size in UTF-8. */
  bytes: z.number().int(),
  /** This version deletes the document; a later version can create it again. */
  deleted: z.boolean(),
});
export type DocumentInfo = z.infer<typeof DocumentInfo>;

export const DocumentVersion = DocumentInfo.extend({ content: z.string() });
export type DocumentVersion = z.infer<typeof DocumentVersion>;
