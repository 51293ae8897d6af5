/** The document tools: their inputs and results. */
import { z } from "zod";
import { DocumentInfo } from "../document.ts";

const file = z.string().optional().describe("The document's name. Default: the entry point.");
const baseVersion = z
  .int()
  .min(0)
  .optional()
  .describe(
    "The version that your change is based on. Default: the newest that you have read or written in this turn.",
  );

export const DocumentReadInput = z.object({
  file,
  version: z.int().min(1).optional().describe("An earlier version. Default: the latest."),
});
export const DocumentReadResult = z.object({
  file: z.string(),
  /** 0 for the entry point before it is first written. */
  version: z.number().int(),
  author: z.string(),
  createdAt: z.number(),
  content: z.string(),
});
export const DocumentWriteInput = z.object({ content: z.string(), file, base_version: baseVersion });
export const DocumentAppendInput = z.object({
  content: z.string().describe("The text to append, on new lines."),
  file,
});
export const DocumentCreateInput = z.object({ file: z.string(), content: z.string().optional() });
export const DocumentDeleteInput = z.object({ file: z.string(), base_version: baseVersion });
export const DocumentWriteResult = z.object({
  file: z.string(),
  version: z.number().int(),
  /** False if the document already had exactly this content, so that no version was created. */
  changed: z.boolean(),
});
export const DocumentListResult = z.object({
  documents: z.array(DocumentInfo),
  /** The default document. */
  entryPoint: z.string(),
  /** The only agent that can write documents; null if all can. */
  owner: z.string().nullable(),
});
export const DocumentSuggestInput = z.object({
  content: z.string().describe("What should be changed, and to what."),
  file,
});
export const DocumentSuggestResult = z.object({ id: z.string(), seq: z.number().int(), owner: z.string() });
