/** The tools of documents: what they take and give. */
import { z } from "zod";
import { DocumentInfo } from "../document.ts";

const file = z.string().optional().describe("The document's name; the entry point unless said.");
const baseVersion = z
  .int()
  .min(0)
  .optional()
  .describe(
    "The version that your change was made from; the newest you have read or written in this turn unless said.",
  );

export const DocumentReadInput = z.object({
  file,
  version: z.int().min(1).optional().describe("An earlier version; the latest unless said."),
});
export const DocumentReadResult = z.object({
  file: z.string(),
  /** 0: the entry point, which nobody has written yet. */
  version: z.number().int(),
  author: z.string(),
  createdAt: z.number(),
  content: z.string(),
});
export const DocumentWriteInput = z.object({ content: z.string(), file, base_version: baseVersion });
export const DocumentAppendInput = z.object({
  content: z.string().describe("What comes at the end, on lines of its own."),
  file,
});
export const DocumentCreateInput = z.object({ file: z.string(), content: z.string().optional() });
export const DocumentDeleteInput = z.object({ file: z.string(), base_version: baseVersion });
export const DocumentWriteResult = z.object({
  file: z.string(),
  version: z.number().int(),
  /** False: the document had exactly this content, and no version was made. */
  changed: z.boolean(),
});
export const DocumentListResult = z.object({
  documents: z.array(DocumentInfo),
  /** The document that is meant where none is named. */
  entryPoint: z.string(),
  /** The only agent that may write; null where all may. */
  owner: z.string().nullable(),
});
export const DocumentSuggestInput = z.object({
  content: z.string().describe("What should be changed, and to what."),
  file,
});
export const DocumentSuggestResult = z.object({ id: z.string(), seq: z.number().int(), owner: z.string() });
